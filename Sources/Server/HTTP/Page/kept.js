// Values that the browser keeps.

/**
 * A text, or null, of `localStorage` or `sessionStorage`. In a foreign frame a browser may deny its storage:
 * then the page itself keeps it.
 */
export function kept(area, key) {
  let own = null;
  return {
    get value() {
      try {
        return window[area].getItem(key);
      } catch {
        return own;
      }
    },
    set value(value) {
      own = value;
      try {
        if (value === null) window[area].removeItem(key);
        else window[area].setItem(key, value);
      } catch {
        // Denied; see above.
      }
    },
  };
}
