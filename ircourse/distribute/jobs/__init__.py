"""Jobs that run on a Dask cluster, with the results of the local functions (book, section 20.3)."""
