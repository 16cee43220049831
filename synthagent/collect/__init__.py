"""Collection: doing the tasks, and mending them when the page says otherwise."""
