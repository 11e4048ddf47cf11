/* The state of the page in the fragment of its address: menus, ticks, sort, search, unfolded parts and the open row. */

/**
 * The state: `#table&family=transpose` is the section `table` and the value of one key. A value that is the initial one
 * is left out.
 */
function addressState() {
  const parts = location.hash.slice(1).split("&");
  const section = parts[0].includes("=") ? "" : parts.shift();
  const values = new URLSearchParams(parts.join("&"));
  const state = { section, get: (key) => values.get(key) };
  /** The menus of a chart, by their keys: `transpose.dtype=f64`. */
  state.menus = (chart) => {
    const own = [...values].filter(([key]) => key.startsWith(`${chart}.`));
    return Object.fromEntries(own.map(([key, value]) => [key.slice(chart.length + 1), value]));
  };
  const write = () => {
    const parts = [state.section, values.toString()].filter(Boolean).join("&");
    history.replaceState(history.state, "", parts === "" ? location.pathname + location.search : `#${parts}`);
  };
  state.set = (key, value, initial = "") => {
    const before = values.toString();
    if (value === initial) values.delete(key);
    else values.set(key, value);
    if (values.toString() !== before) write();
  };
  /** Whether the reader has unfolded a part, as `unfolded=tour-A` says. */
  state.isUnfolded = (part) => values.getAll("unfolded").includes(part);
  state.unfold = (part, isOpen) => {
    if (state.isUnfolded(part) === isOpen) return;
    if (isOpen) values.append("unfolded", part);
    else values.delete("unfolded", part);
    write();
  };
  state.show = (id) => {
    state.section = id;
    write();
  };
  return state;
}
