"""Files of users: atomic folders, locks, CSV, cells that no spreadsheet executes."""
