"""What a user wrote: files, dotenv, environments and the language check, as one frozen `Project`."""
