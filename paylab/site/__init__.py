"""The notebooks as a static site that runs in a browser."""
