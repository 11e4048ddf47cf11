/* The state of the page in the fragment of its address: menus, ticks, sort, search and the open row. */

/** The values that differ from the initial ones: `#table&family=transpose` also names the part to scroll to. */
function addressState() {
  const values = new URLSearchParams(location.hash.slice(1));
  return {
    get: (key) => values.get(key),
    /** The menus of a chart, by their keys: `transpose.dtype=f64`. */
    menus: (chart) =>
      Object.fromEntries(
        [...values]
          .filter(([key]) => key.startsWith(`${chart}.`))
          .map(([key, value]) => [key.slice(chart.length + 1), value]),
      ),
    set(key, value, initial = "") {
      if (value === initial) values.delete(key);
      else values.set(key, value);
      history.replaceState(history.state, "", values.size > 0 ? `#${values}` : location.pathname + location.search);
    },
  };
}
