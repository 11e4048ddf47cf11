/* The state of the page in the fragment of its address: menus, ticks, sort, search and the open row. Each choice is a step of
   the history. */

/** The values that differ from the initial ones: `#table&family=transpose` also names the part to scroll to. */
function addressState() {
  const values = () => new URLSearchParams(location.hash.slice(1));
  return {
    get: (key) => values().get(key),
    /** The menus of a chart, by their keys: `transpose.dtype=f64`. */
    menus: (chart) =>
      Object.fromEntries(
        [...values()]
          .filter(([key]) => key.startsWith(`${chart}.`))
          .map(([key, value]) => [key.slice(chart.length + 1), value]),
      ),
    /** Adds a step, which names its key; what is typed replaces the last one. */
    set(key, value, initial = "", isTyped = false) {
      const now = values();
      if ((now.get(key) ?? initial) === value) return;
      if (value === initial) now.delete(key);
      else now.set(key, value);
      const address = now.size > 0 ? `#${now}` : location.pathname + location.search;
      if (isTyped) history.replaceState(history.state, "", address);
      else history.pushState({ key }, "", address);
    },
  };
}
