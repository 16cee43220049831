// Runs in every document before the page's own scripts: opens closed shadow roots for reading, and
// tells the walker whether a short timer that the last input (or loading) has set is still to fire.
// It is the only thing of ours in the page's own world, and it changes nothing that a page shows.
((beat) => {
  const attach = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function attachShadow(init) {
    return attach.call(this, init && init.mode === 'closed' ? { ...init, mode: 'open' } : init);
  };
  const later = window.setTimeout, cancel = window.clearTimeout, cancelEvery = window.clearInterval;
  const add = EventTarget.prototype.addEventListener, prevent = Event.prototype.preventDefault;
  const LONGEST = 1000, GENERATIONS = 4;
  const pending = new Set();
  const put = Set.prototype.add, drop = Set.prototype.delete;
  const size = Object.getOwnPropertyDescriptor(Set.prototype, 'size').get;
  let generation = 1; // 0: nothing that an input or loading has caused is running
  const cool = () => { generation = 0; };
  const heat = (next) => { generation = next; later(cool, 0); };
  window.setTimeout = function setTimeout(callback, delay, ...rest) {
    if (!generation || generation > GENERATIONS || typeof callback !== 'function' || !(delay <= LONGEST || delay === undefined)) return later(callback, delay, ...rest);
    const next = generation + 1;
    const id = later(function fire(...values) { drop.call(pending, id); heat(next); return callback.apply(this, values); }, delay, ...rest);
    put.call(pending, id);
    return id;
  };
  window.clearTimeout = function clearTimeout(id) { drop.call(pending, id); return cancel(id); };
  window.clearInterval = function clearInterval(id) { drop.call(pending, id); return cancelEvery(id); };
  for (const type of ['pointerdown', 'pointerup', 'mousedown', 'mouseup', 'click', 'dblclick', 'auxclick', 'contextmenu', 'keydown', 'keypress', 'keyup', 'beforeinput', 'input', 'change', 'submit', 'reset', 'dragstart', 'dragover', 'drop', 'dragend', 'scroll', 'wheel', 'pointermove', 'mouseover', 'mouseenter', 'popstate', 'hashchange', 'blur', 'focus', 'focusin', 'focusout', 'toggle'])
    add.call(window, type, () => { if (!generation) heat(1); }, { capture: true, passive: true });
  add.call(window, 'load', () => later(cool, 0), { capture: true, once: true });
  add.call(window, beat, (event) => { if (size.call(pending) > 0) prevent.call(event); }, { capture: true });
})(BEAT)
