"""The service as data: words, limits, money, times, models, statuses, paging, assumptions."""
