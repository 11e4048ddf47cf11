/* The state of the page in the fragment of its address: menus, ticks, sort, search and the open row. */

/**
 * The state: `#table&family=transpose` is the section `table` and the value of one key. A value that is the initial one
 * is left out.
 */
function addressState() {
  const parts = location.hash.slice(1).split("&");
  const section = parts[0].includes("=") ? "" : parts.shift();
  const values = new URLSearchParams(parts.join("&"));
  const state = { section, get: (key) => values.get(key), keys: () => [...values.keys()] };
  const write = () => {
    const parts = [state.section, values.toString()].filter(Boolean).join("&");
    history.replaceState(history.state, "", parts === "" ? location.pathname + location.search : `#${parts}`);
  };
  state.set = (key, value, initial = "") => {
    if (value === initial) values.delete(key);
    else values.set(key, value);
    write();
  };
  state.show = (id) => {
    state.section = id;
    write();
  };
  return state;
}

/** Keeps the menus of charts in the state, and sets them to its values. */
function keepMenus(root, state, signal) {
  const initial = new Map();
  const keyOf = (select) => {
    const chart = select.closest("figure.chart");
    const menu = select.closest("[data-key]");
    return chart && menu ? `${chart.id}.${menu.dataset.key}` : null;
  };
  for (const select of root.querySelectorAll("figure.chart select")) initial.set(keyOf(select), select.value);
  for (const key of state.keys().filter((key) => initial.has(key))) {
    const [id, menu] = key.split(".");
    const select = root.querySelector(`figure#${id} [data-key="${menu}"] select`);
    const value = state.get(key);
    if ([...select.options].some((option) => option.value === value)) {
      select.value = value;
      select.dispatchEvent(new Event("change"));
    }
  }
  root.addEventListener(
    "change",
    ({ target }) => {
      const key = target.matches("select") ? keyOf(target) : null;
      if (key !== null) state.set(key, target.value, initial.get(key));
    },
    { capture: true, signal },
  );
}
