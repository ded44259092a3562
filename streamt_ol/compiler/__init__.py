"""Project to Graph: templates, dependencies, materialization, physical names, artifacts."""
