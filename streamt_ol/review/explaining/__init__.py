"""Why an export says what it says: every part of an event with the rows that decided it."""
