package timezone

utc = {zone: "UTC", offset: 0h}
fixed = (offset) => ({zone: "UTC", offset: offset})
