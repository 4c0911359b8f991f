"""Cards, charts, pictures and forms. Only this package imports widget and drawing libraries."""
