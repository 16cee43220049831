// The page walker: a selector engine in a world of its own that reads a document and answers in JSON text.
// It never writes to the document and never acts: clicks and keys come from outside as real input.
(() => {
  const NAME_MAX = 160, CELL_MAX = 300, TEXT_MAX = 2000, OPTIONS_MAX = 50;
  const words = (text) => new Set(text.split(' '));
  const SKIPPED = words('script style template head meta link title base param source track col colgroup defs symbol desc datalist');
  const INTERACTIVE = words('button link checkbox radio switch tab menuitem menuitemcheckbox menuitemradio option textbox searchbox combobox slider spinbutton treeitem file');
  const CONTAINERS = words('navigation main banner contentinfo search form complementary list listitem table grid treegrid row cell gridcell columnheader rowheader dialog alertdialog article heading status alert term definition tabpanel tablist menu menubar listbox tree feed log radiogroup iframe caption');
  const NAMED_CONTAINERS = words('region group figure toolbar');
  const FROM_CONTENT = words('button link checkbox radio switch tab menuitem menuitemcheckbox menuitemradio option treeitem heading cell gridcell columnheader rowheader term definition caption clickable tooltip');
  const MUTING = words('button link checkbox radio switch tab menuitem menuitemcheckbox menuitemradio option heading cell gridcell columnheader rowheader term definition caption');
  const INPUT_ROLES = { button: 'button', submit: 'button', reset: 'button', image: 'button', checkbox: 'checkbox', radio: 'radio', range: 'slider', number: 'spinbutton', search: 'searchbox', file: 'file' };
  const TAG_ROLES = { button: 'button', summary: 'button', textarea: 'textbox', nav: 'navigation', main: 'main', aside: 'complementary', form: 'form', search: 'search', article: 'article', ul: 'list', ol: 'list', menu: 'list', li: 'listitem', dt: 'term', dd: 'definition', tr: 'row', td: 'cell', caption: 'caption', fieldset: 'group', figure: 'figure', dialog: 'dialog', progress: 'progressbar', meter: 'meter', output: 'status', iframe: 'iframe', frame: 'iframe', canvas: 'canvas', h1: 'heading', h2: 'heading', h3: 'heading', h4: 'heading', h5: 'heading', h6: 'heading', section: 'region', img: 'img', video: 'video', audio: 'audio' };
  const KNOWN_ROLES = new Set([...INTERACTIVE, ...CONTAINERS, ...NAMED_CONTAINERS, 'progressbar', 'meter', 'img', 'video', 'canvas', 'tooltip', 'scrollbar', 'separator', 'rowgroup', 'generic', 'presentation', 'none', 'paragraph', 'timer', 'marquee', 'note', 'math', 'application', 'document']);
  const SECRET_HINT = /passw(or)?d|passwort|contrase|mot.?de.?passe|one.?time|\botp\b|\btotp\b|2fa|mfa.?code|verification.?code|security.?code|\bcvc\b|\bcvv\b/i;
  const SECRET_AUTOCOMPLETE = /password|one-time-code|cc-number|cc-csc/i;
  const WIDGET_CLASS = /select|chosen|choices|ts-wrapper|dropdown/i;
  const MASK = '•••';

  let state = null;
  function current() {
    if (state === null || state.document !== document) {
      state = { document, doc: token(), ids: new WeakMap(), elements: new Map(), last: 0, frames: new WeakMap(), lastFrame: 0, wasPassword: new WeakSet(), mutations: 0, lastMutation: performance.now(), observed: new WeakSet(), observer: null, frozen: null, sheet: null };
      state.observer = new MutationObserver((records) => { state.mutations += records.length; state.lastMutation = performance.now(); });
      observe(document);
    }
    return state;
  }
  function observe(root) {
    if (state.observed.has(root)) return;
    state.observed.add(root);
    state.observer.observe(root, { subtree: true, childList: true, characterData: true, attributes: true });
  }
  function token() {
    const bytes = new Uint32Array(2);
    crypto.getRandomValues(bytes);
    return bytes[0].toString(36) + bytes[1].toString(36);
  }
  function idOf(el) {
    let id = state.ids.get(el);
    if (id === undefined) {
      id = ++state.last;
      state.ids.set(el, id);
      state.elements.set(id, new WeakRef(el));
    }
    return id;
  }
  function frameNumber(el) {
    let number = state.frames.get(el);
    if (number === undefined) { number = ++state.lastFrame; state.frames.set(el, number); }
    return number;
  }
  function byId(options) {
    const s = current();
    if (options.doc !== s.doc) return null;
    const ref = s.elements.get(options.id);
    const el = ref && ref.deref();
    return el && el.isConnected ? el : null;
  }

  // ---- text -------------------------------------------------------------------------------------
  const INVISIBLE = /[\u00AD\u200B\u200E\u200F\u202A-\u202E\u2060-\u2064\u2066-\u2069\uFEFF\uE000-\uF8FF\u{F0000}-\u{10FFFD}]/gu;
  const NEEDS_CLEANING = /[^\x20-\x7E]/;
  function clean(text, max) {
    if (NEEDS_CLEANING.test(text)) {
      // Joiners mean something inside other scripts and emoji, and are noise between Latin letters.
      text = text.normalize('NFC').replace(INVISIBLE, '').replace(/(^|[\u0000-\u05FF])[\u200C\u200D]+|[\u200C\u200D]+($|[\u0000-\u05FF])/g, '$1$2');
    }
    text = text.replace(/\s+/g, ' ').trim();
    if (max !== undefined && text.length > max) text = Array.from(text).slice(0, max - 1).join('') + '…';
    return text;
  }
  function childrenOf(node) {
    if (node.shadowRoot) { observe(node.shadowRoot); return node.shadowRoot.childNodes; }
    if (node.localName === 'slot' && node.assignedNodes) {
      const assigned = node.assignedNodes();
      if (assigned.length) return assigned;
    }
    return node.childNodes;
  }
  function parentOf(node) {
    if (node.assignedSlot) return node.assignedSlot;
    const parent = node.parentNode;
    return parent instanceof ShadowRoot ? parent.host : parent;
  }
  function collect(node, parts, mode) {
    for (const child of childrenOf(node)) {
      if (child.nodeType === 3) { parts.push(child.data); continue; }
      if (child.nodeType !== 1) continue;
      const tag = child.localName;
      if (tag === 'br') { parts.push(' '); continue; }
      if (SKIPPED.has(tag)) continue;
      if (tag === 'input' || tag === 'select' || tag === 'textarea' || tag === 'iframe') continue;
      if (mode.bare && (tag === 'button' || tag === 'a')) continue;
      const cs = getComputedStyle(child);
      if (cs.display === 'none') continue;
      if (mode.name && !mode.all && child.getAttribute('aria-hidden') === 'true') continue;
      if (mode.name) {
        const label = child.getAttribute('aria-label');
        if (label) { parts.push(' ', label, ' '); continue; }
      } else if (isClipped(child, cs)) continue;
      if (tag === 'img') { parts.push(' ', child.getAttribute('alt') || (mode.name && child.getAttribute('title')) || '', ' '); continue; }
      if (tag === 'svg') { const title = child.querySelector(':scope > title'); if (title && mode.name) parts.push(' ', title.textContent, ' '); }
      const inline = cs.display === 'inline' || cs.display === 'contents';
      if (!inline) parts.push(' ');
      if (cs.visibility === 'visible') collect(child, parts, mode);
      if (!inline) parts.push(' ');
    }
  }
  function textOf(el, max, mode = { name: true }) {
    const parts = [];
    collect(el, parts, mode);
    return clean(parts.join(''), max);
  }
  function isClipped(el, cs) {
    // The ways of hiding text from eyes but not from screen readers: one pixel, a clip, far outside.
    if (cs.position === 'absolute' || cs.position === 'fixed') {
      if (cs.clip !== 'auto' && /rect\((0|1)(px)?,? (0|1)(px)?,? (0|1)(px)?,? (0|1)(px)?\)/.test(cs.clip)) return true;
      if (cs.clipPath !== 'none' && /inset\((50|100)%/.test(cs.clipPath)) return true;
    }
    if (cs.overflowX !== 'visible' || cs.position === 'absolute') {
      if ((el.offsetWidth <= 1 || el.offsetHeight <= 1) && cs.overflowX !== 'visible' && cs.display !== 'inline') return true;
    }
    if (cs.position === 'absolute' || cs.position === 'fixed') {
      const box = el.getBoundingClientRect();
      if (box.right + scrollX <= 0 || box.bottom + scrollY <= 0) return true;
    }
    return parseFloat(cs.textIndent) < -500 || cs.fontSize === '0px';
  }

  // ---- roles and names -----------------------------------------------------------------------------
  function roleOf(el, tag) {
    const given = el.getAttribute('role');
    if (given) {
      for (const part of given.toLowerCase().split(/\s+/)) {
        if (!KNOWN_ROLES.has(part)) continue;
        if (part === 'presentation' || part === 'none' || part === 'generic') return tag === 'button' || tag === 'input' || (tag === 'a' && el.hasAttribute('href')) ? nativeRole(el, tag) : '';
        return part;
      }
    }
    return nativeRole(el, tag);
  }
  function nativeRole(el, tag) {
    switch (tag) {
      case 'a': case 'area': return el.hasAttribute('href') ? 'link' : '';
      case 'input': return el.type === 'hidden' ? '' : (el.list ? 'combobox' : INPUT_ROLES[el.type] || 'textbox');
      case 'select': return el.multiple || el.size > 1 ? 'listbox' : 'combobox';
      case 'header': return el.closest('article,section,main,aside,nav') ? '' : 'banner';
      case 'footer': return el.closest('article,section,main,aside,nav') ? '' : 'contentinfo';
      case 'table': return isLayout(el) ? '' : 'table';
      case 'tr': return rowOfLayout(el) ? '' : 'row';
      case 'td': return rowOfLayout(el.parentElement) ? '' : 'cell';
      case 'th': return headerRole(el);
      case 'svg': return svgTitle(el) ? 'img' : '';
      default: return TAG_ROLES[tag] || '';
    }
  }
  const svgTitle = (el) => el.getAttribute('aria-label') || (el.querySelector(':scope > title') || {}).textContent || '';
  function isLayout(table) {
    if (/^(none|presentation)$/.test(table.getAttribute('role') || '')) return true;
    return !table.querySelector('th,caption,thead') && (table.querySelector('table') !== null || table.rows.length === 0);
  }
  function rowOfLayout(row) {
    const table = row && row.closest('table,[role=table],[role=grid]');
    return !table || (table.localName === 'table' && layoutCache(table));
  }
  let layouts = new WeakMap();
  function layoutCache(table) {
    let answer = layouts.get(table);
    if (answer === undefined) { answer = isLayout(table); layouts.set(table, answer); }
    return answer;
  }
  function headerRole(el) {
    const scope = el.getAttribute('scope');
    if (scope) return scope.startsWith('row') ? 'rowheader' : 'columnheader';
    const row = el.parentElement;
    if (!row || (row.parentElement && row.parentElement.localName === 'thead')) return 'columnheader';
    return row.querySelector(':scope > td') ? 'rowheader' : 'columnheader';
  }
  function labelledBy(el) {
    const ids = el.getAttribute('aria-labelledby');
    if (!ids) return '';
    const root = el.getRootNode();
    return ids.split(/\s+/).map((id) => root.getElementById && root.getElementById(id)).filter(Boolean).map((other) => textOf(other) || clean(other.getAttribute('aria-label') || other.textContent)).join(' ');
  }
  function nameOf(el, tag, role) {
    const max = role === 'cell' || role === 'gridcell' || role === 'definition' ? CELL_MAX : NAME_MAX;
    return clean(labelledBy(el) || el.getAttribute('aria-label') || ownName(el, tag, role) || '', max);
  }
  function ownName(el, tag, role) {
    switch (tag) {
      case 'input': case 'textarea': case 'select': case 'meter': case 'progress': return fieldName(el);
      case 'img': case 'area': return el.getAttribute('alt') || titleOf(el);
      case 'svg': return svgTitle(el);
      case 'fieldset': return childText(el, 'legend') || titleOf(el);
      case 'table': return childText(el, 'caption') || titleOf(el);
      case 'figure': return childText(el, 'figcaption');
      case 'iframe': case 'frame': return titleOf(el) || el.getAttribute('name');
      case 'canvas': return titleOf(el) || clean(el.textContent, 80);
    }
    if (role === 'dialog' || role === 'alertdialog') { const heading = el.querySelector('h1,h2,h3,h4,[role=heading]'); return titleOf(el) || (heading ? textOf(heading) : ''); }
    if (role === 'cell' || role === 'definition' || role === 'gridcell') return textOf(el, undefined, { name: false });
    if (FROM_CONTENT.has(role)) return textOf(el) || titleOf(el) || textOf(el, undefined, { name: true, all: true }) || (INTERACTIVE.has(role) || role === 'clickable' ? standIn(el) : '');
    if (INTERACTIVE.has(role)) return fieldName(el);
    return titleOf(el);
  }
  // As an attribute: a field called `title` hides the property of its form.
  function titleOf(el) { return el.getAttribute('title') || ''; }
  function childText(el, tag) {
    const child = el.querySelector(':scope > ' + tag);
    return child ? textOf(child, undefined, { name: true, bare: true }) : '';
  }
  function fieldName(el) {
    if (el.localName === 'input' && /^(submit|button|reset|image)$/.test(el.type)) return el.value || el.alt || titleOf(el) || (el.type === 'reset' ? 'Reset' : el.type === 'submit' ? 'Submit' : standIn(el));
    const labels = el.labels && el.labels.length ? [...new Set([...el.labels].map((label) => unmarked(textOf(label) || textOf(label, undefined, { name: true, all: true }))).filter(Boolean))].join(' ') : '';
    return labels || (/^(checkbox|radio)$/.test(el.type) ? textAfter(el) : '') || titleOf(el) || el.getAttribute('placeholder') || el.getAttribute('aria-placeholder') || (/^(meter|progress)$/.test(el.localName) ? '' : textBeside(el)) || readable(el.getAttribute('name') || el.getAttribute('id') || '');
  }
  // Colons and the star of required fields belong to the print, not to the name.
  const unmarked = (text) => text.replace(/[\s:*]+$/, '') || text;
  function textAfter(el) {
    for (let after = el.nextSibling; after; after = after.nextSibling) {
      const text = after.nodeType === 3 ? clean(after.data) : after.nodeType === 1 && !after.matches('input,select,textarea,button') ? textOf(after) : '';
      if (text) return text.length <= 60 ? text : '';
    }
    return '';
  }
  function textBeside(el) {
    for (let node = el, up = 0; node && up < 3; node = parentOf(node), up++) {
      for (let before = node.previousSibling; before; before = before.previousSibling) {
        if (before.nodeType !== 1 && before.nodeType !== 3) continue;
        if (before.nodeType === 1 && (before.matches('input,select,textarea,button,a') || before.querySelector('input,select,textarea,button'))) return '';
        const text = before.nodeType === 3 ? clean(before.data) : textOf(before);
        if (text) return text.length <= 60 ? unmarked(text) : '';
      }
    }
    return '';
  }
  const ICON_WORD = /^(?:fa|fas|far|icon|icons|bi|glyphicon|glyphicons|mdi|material|ti|ri|las|la|svg|btn|button|img|image)[-_]?/i;
  function standIn(el) {
    for (const pseudo of ['::before', '::after']) {
      const match = /^"(.*)"/.exec(getComputedStyle(el, pseudo).content);
      const shown = match && clean(match[1].replace(/\\"/g, '"'));
      if (shown) return shown;
    }
    const inner = [el, ...el.querySelectorAll('i,svg,use,span,img')].slice(0, 6);
    for (const node of inner) {
      const titled = node.getAttribute('aria-label') || node.getAttribute('title') || node.getAttribute('data-icon') || node.getAttribute('data-title') || node.getAttribute('data-original-title');
      if (titled) return titled;
      const link = node.getAttribute('href') || node.getAttribute('xlink:href') || (node.localName === 'img' && node.getAttribute('src'));
      if (node !== el && link && !link.startsWith('data:')) { const word = readable(link.replace(/[?#].*$/, (m) => (m[0] === '#' ? m : '')).replace(/^.*[/#]/, '').replace(/\.\w+$/, '')); if (word) return word; }
    }
    for (const node of inner) {
      for (const name of [node.getAttribute('id') || '', ...node.classList]) { const word = readable(name); if (word) return word; }
    }
    return 'icon';
  }
  function readable(identifier) {
    const text = identifier.replace(ICON_WORD, '').replace(/\[\]|\[|\]/g, ' ').replace(/[-_.:]+/g, ' ').replace(/([a-z])([A-Z])/g, '$1 $2').trim();
    if (!/^[a-z][a-z ]{2,39}$/i.test(text) || /^(css|sc|col|row|flex|active|container|wrapper|item|inner|x|lg|sm|md)\b/i.test(text)) return '';
    return text.toLowerCase();
  }

  // ---- state of an element ----------------------------------------------------------------------------
  const isOn = (el, name) => el.getAttribute(name) === 'true';
  function statesOf(el, tag, role, context) {
    const states = [];
    if (el.disabled === true || isOn(el, 'aria-disabled') || context.inert || (INTERACTIVE.has(role) && el.matches(':disabled'))) states.push('disabled');
    if (tag === 'input' && (el.type === 'checkbox' || el.type === 'radio')) { if (el.indeterminate) states.push('mixed'); else if (el.checked) states.push('checked'); }
    else { const checked = el.getAttribute('aria-checked'); if (checked === 'true') states.push('checked'); if (checked === 'mixed') states.push('mixed'); }
    let expanded = el.getAttribute('aria-expanded');
    if (tag === 'summary' && el.parentElement && el.parentElement.localName === 'details') expanded = String(el.parentElement.open);
    if (expanded === 'true') states.push('expanded'); else if (expanded === 'false') states.push('collapsed');
    if (isOn(el, 'aria-selected')) states.push('selected');
    if (isOn(el, 'aria-pressed')) states.push('pressed');
    const present = el.getAttribute('aria-current');
    if (present && present !== 'false') states.push('current');
    if (isOn(el, 'aria-invalid') || (el.willValidate && el.matches(':user-invalid'))) states.push('invalid');
    if (el.required === true || isOn(el, 'aria-required')) states.push('required');
    if (el.readOnly === true || isOn(el, 'aria-readonly')) states.push('readonly');
    if (el.multiple === true && tag !== 'form') states.push('multiple');
    if (el === context.focused) states.push('focused');
    if (INTERACTIVE.has(role) && el.closest('[aria-hidden=true]')) states.push('aria-hidden');
    return states;
  }
  function isSecret(el) {
    if (el.type === 'password') { state.wasPassword.add(el); return true; }
    if (state.wasPassword.has(el)) return true;
    return SECRET_AUTOCOMPLETE.test(el.getAttribute('autocomplete') || '') || SECRET_HINT.test([el.name, el.id, el.getAttribute('aria-label') || ''].join(' ')) || (el.labels && [...el.labels].some((label) => SECRET_HINT.test(label.textContent)));
  }
  function valueOf(el, tag, role) {
    if (tag === 'input') {
      if (/^(submit|button|reset|image|checkbox|radio)$/.test(el.type)) return null;
      if (el.type === 'file') return [...el.files].map((file) => file.name).join(', ');
      return el.value !== '' && isSecret(el) ? MASK : el.value;
    }
    if (tag === 'textarea') return el.value !== '' && isSecret(el) ? MASK : el.value;
    if (tag === 'select') return [...el.selectedOptions].map((option) => clean(option.label, NAME_MAX)).join(', ');
    if (tag === 'progress' || tag === 'meter') return el.hasAttribute('value') ? String(el.value) + (el.max !== 1 ? ' of ' + el.max : '') : null;
    if (el.isContentEditable && (role === 'textbox' || role === 'combobox' || role === 'searchbox')) return el.innerText.replace(/\n+$/, '').slice(0, TEXT_MAX);
    const shown = el.getAttribute('aria-valuetext') || el.getAttribute('aria-valuenow');
    if (shown) return shown;
    return role === 'combobox' && tag !== 'input' ? textOf(el, NAME_MAX) : null;
  }
  const isRoot = (el) => el.isContentEditable && !(el.parentElement && el.parentElement.isContentEditable);
  function deepFocus() {
    let el = document.activeElement;
    while (el && el.shadowRoot && el.shadowRoot.activeElement) el = el.shadowRoot.activeElement;
    return el === document.body ? null : el;
  }

  // ---- what is on top ---------------------------------------------------------------------------------
  function deepHit(x, y) {
    let root = document, hit = null;
    for (let depth = 0; depth < 12; depth++) {
      const next = root.elementFromPoint(x, y);
      if (!next || next === hit) return hit || next;
      hit = next;
      if (!hit.shadowRoot) return hit;
      root = hit.shadowRoot;
    }
    return hit;
  }
  function contains(outer, inner) {
    for (let node = inner; node; node = parentOf(node)) if (node === outer) return true;
    return false;
  }
  function coverOf(el, rect, clip) {
    const left = Math.max(rect.left, clip[0]), top = Math.max(rect.top, clip[1]);
    const right = Math.min(rect.right, clip[2]), bottom = Math.min(rect.bottom, clip[3]);
    let hit = deepHit((left + right) / 2, (top + bottom) / 2);
    if (isTarget(el, hit)) return null;
    // An inline element broken over lines has a centre that lies outside of it.
    const line = el.getClientRects()[0];
    if (line && line.width && (line.width < rect.width || line.height < rect.height)) {
      hit = deepHit(line.left + line.width / 2, line.top + line.height / 2);
      if (isTarget(el, hit)) return null;
    }
    return hit;
  }
  function isTarget(el, hit) {
    if (!hit || contains(el, hit) || contains(hit, el)) return true;
    const label = hit.closest && hit.closest('label');
    return Boolean(label && (label.control === el || contains(label, el)));
  }
  function describe(el) {
    for (let node = el; node && node.nodeType === 1; node = parentOf(node)) {
      const role = roleOf(node, node.localName);
      const fixed = /^(fixed|sticky)$/.test(getComputedStyle(node).position);
      if (role === 'dialog' || role === 'alertdialog' || fixed || node.getAttribute('aria-modal') === 'true') {
        const name = labelledBy(node) || node.getAttribute('aria-label') || headingIn(node) || textOf(node, 60) || readable(node.getAttribute('id') || '');
        if (!textOf(node, 60)) { const dialog = openDialog(); if (dialog && dialog !== node) return describe(dialog); }
        return { role: role === 'dialog' || role === 'alertdialog' || role === 'banner' || role === 'navigation' ? role : 'overlay', name: clean(name, 60) };
      }
    }
    const role = roleOf(el, el.localName) || 'element';
    return { role, name: clean(nameOf(el, el.localName, role) || textOf(el, 60) || readable(el.getAttribute('id') || ''), 60) };
  }
  function openDialog() {
    // A backdrop says nothing; the dialog that it belongs to does.
    const all = document.querySelectorAll('[aria-modal=true],dialog[open],[role=dialog],[role=alertdialog]');
    return [...all].find((one) => one.getClientRects().length) || null;
  }
  function headingIn(el) {
    const heading = el.querySelector('h1,h2,h3,h4,[role=heading]');
    return heading ? textOf(heading, 60) : '';
  }
  const said = ({ role, name }) => (name ? role + ' "' + name + '"' : role);

  // ---- the walk -----------------------------------------------------------------------------------------
  function snap(options) {
    const s = current();
    layouts = new WeakMap();
    const walk = { nodes: [], run: [], runRect: null, runDepth: 0, limit: options.limit || 60000, seen: 0, hidden: 0, canvases: [], modal: null, covers: new Map(), skipped: new Set(), kinds: new Map(), titles: new Map(), options };
    const forms = new Map();
    let index = 0;
    for (const form of document.forms) forms.set(form, ++index);
    walk.forms = forms;
    const root = document.body || document.documentElement;
    const view = [0, 0, innerWidth, innerHeight];
    const context = { depth: 0, clip: view, mute: false, inside: null, pointer: false, inert: false, hidden: false, bg: '', focused: deepFocus(), form: null };
    if (root && root.localName === 'frameset') for (const child of root.querySelectorAll('frame')) visit(child, context, walk);
    else if (root) { if (getComputedStyle(root).cursor === 'pointer') context.pointer = true; if (isRoot(root)) visit(root, context, walk); else if (getComputedStyle(root).display !== 'none') inside(root, context, walk); }
    flush(walk);
    const page = document.scrollingElement || document.documentElement;
    return {
      doc: s.doc, url: document.URL, title: clean(document.title, 200), lang: document.documentElement ? document.documentElement.lang : '', nodes: walk.nodes,
      view: [innerWidth, innerHeight], scroll: [Math.round(scrollX), Math.round(scrollY)], size: page ? [page.scrollWidth, page.scrollHeight] : [0, 0],
      hidden: walk.hidden, canvases: walk.canvases, modal: walk.modal, truncated: walk.seen >= walk.limit, elements: walk.seen, mutations: s.mutations,
      content: document.contentType, covers: [...walk.covers.values()],
    };
  }
  function flush(walk) {
    if (!walk.run.length) return;
    const name = clean(walk.run.join(''), TEXT_MAX);
    walk.run = [];
    if (name) walk.nodes.push(placed({ d: walk.runDepth, r: 'text', n: name }, walk.runRect, walk.runClip));
    walk.runRect = null;
  }
  function placed(node, rect, clip) {
    if (rect && (rect.width || rect.height)) {
      node.b = [Math.round(rect.left), Math.round(rect.top), Math.round(rect.width), Math.round(rect.height)];
      if (rect.right > clip[0] && rect.left < clip[2] && rect.bottom > clip[1] && rect.top < clip[3]) node.v = 1;
    }
    return node;
  }
  function addText(data, parent, context, walk) {
    if (!/\S/.test(data)) { if (walk.run.length) walk.run.push(' '); return; }
    if (context.hidden) { walk.hidden++; return; }
    if (context.mute) return;
    if (!walk.run.length) { walk.runDepth = context.depth; walk.runRect = parent.getBoundingClientRect(); walk.runClip = context.clip; }
    walk.run.push(data);
  }
  function inside(el, context, walk) {
    for (const child of childrenOf(el)) {
      if (child.nodeType === 3) addText(child.data, el, context, walk);
      else if (child.nodeType === 1) visit(child, context, walk);
    }
  }
  function visit(el, context, walk) {
    const tag = el.localName;
    if (SKIPPED.has(tag) || walk.skipped.has(el)) return;
    if (++walk.seen > walk.limit) return;
    if (tag === 'br') { if (!context.mute) flush(walk); return; }
    const cs = getComputedStyle(el);
    const display = cs.display;
    if (display === 'none') { behindTheScenes(el, tag, context, walk); return; }
    const role = roleOf(el, tag);
    const inline = display === 'inline' || display === 'contents';
    const flows = display.startsWith('inline') || display === 'contents';
    if (!flows && !context.mute) flush(walk);
    if (!inline && walk.run.length) walk.run.push(' ');
    let inner = context;
    const change = (key, value) => { if (inner === context) inner = { ...context }; inner[key] = value; };
    if (el.inert && !context.inert) change('inert', true);
    const pointer = cs.cursor === 'pointer';
    if (pointer !== context.pointer) change('pointer', pointer);
    if (cs.contentVisibility === 'hidden') return;
    const unseen = cs.visibility !== 'visible' || cs.opacity === '0' || isUnpainted(el, cs, context);
    const clipped = !inline && isClipped(el, cs);
    const hidden = unseen || clipped || ((context.hiddenBy === 'opacity' || context.hiddenBy === 'clip') && context.hidden);
    if (hidden !== context.hidden) { change('hidden', hidden); change('hiddenBy', cs.opacity === '0' ? 'opacity' : clipped ? 'clip' : 'visibility'); }
    const background = cs.backgroundColor;
    if (cs.backgroundImage !== 'none') change('bg', '?'); else if (background !== 'rgba(0, 0, 0, 0)') { if (background !== context.bg) change('bg', background); }
    const node = consider(el, tag, role, cs, context, inner, walk, hidden);
    if (node) {
      inner = inner === context ? { ...context } : inner;
      if (node.kept) inner.depth = context.depth + 1;
      if (node.mute) inner.mute = true;
      if (node.stop) { if (!flows && !inner.mute) flush(walk); return; }
      if (node.acts) inner.inside = el;
    }
    if (cs.overflowX !== 'visible' && display !== 'inline') {
      const rect = el.getBoundingClientRect(), clip = context.clip;
      inner = inner === context ? { ...context } : inner;
      inner.clip = [Math.max(clip[0], rect.left), Math.max(clip[1], rect.top), Math.min(clip[2], rect.right), Math.min(clip[3], rect.bottom)];
    }
    if (tag === 'label') labelText(el, inner, context, walk, (next) => { inner = next; });
    if (tag === 'details' && !el.open) { const summary = el.querySelector(':scope > summary'); if (summary) visit(summary, inner, walk); }
    else inside(el, inner, walk);
    if ((node && node.kept) || (!flows && !context.mute)) flush(walk);
    else if (!inline && walk.run.length) walk.run.push(' ');
  }
  function isUnpainted(el, cs, context) {
    const color = cs.color;
    if (color === 'rgba(0, 0, 0, 0)' || color === 'transparent') return cs.backgroundClip !== 'text' && !cs.webkitTextFillColor.startsWith('rgb(') && !INTERACTIVE.has(roleOf(el, el.localName));
    const own = cs.backgroundColor !== 'rgba(0, 0, 0, 0)' ? cs.backgroundColor : context.bg || 'rgb(255, 255, 255)';
    return color === own && cs.backgroundImage === 'none' && !INTERACTIVE.has(roleOf(el, el.localName)) && !liesOnPicture(el);
  }
  function liesOnPicture(el) {
    const rect = el.getBoundingClientRect();
    const overlaps = (other) => { const box = other.getBoundingClientRect(); return box.width > 20 && box.left < rect.right && box.right > rect.left && box.top < rect.bottom && box.bottom > rect.top; };
    for (let node = el, up = 0; node && node.nodeType === 1 && up < 5; node = parentOf(node), up++) {
      if ([...node.querySelectorAll('img,video,canvas,svg,iframe')].slice(0, 20).some(overlaps)) return true;
    }
    return false;
  }
  function labelText(el, inner, context, walk, set) {
    // The text of a label is the name of its control and printed there.
    const control = el.control;
    if (control && control.type !== 'hidden' && (control.type === 'file' || control.localName === 'select' || getComputedStyle(control).display !== 'none')) set({ ...inner, mute: true });
  }
  function behindTheScenes(el, tag, context, walk) {
    // Controls that are hidden on purpose and reached through something else that shows.
    if (tag === 'input' && el.type === 'file') hiddenFile(el, context, walk);
    else if (tag === 'select') hiddenSelect(el, context, walk);
    else if (context.mute === false && walk.options.count && /\S/.test(el.textContent || '') && !SKIPPED.has(tag)) walk.hidden += 0;
  }
  function hiddenFile(el, context, walk) {
    flush(walk);
    const label = el.labels && [...el.labels].find((one) => one.getClientRects().length) || parentOf(el);
    put(el, 'input', 'file', context, walk, label ? label.getBoundingClientRect() : null, nameOf(el, 'input', 'file'));
  }
  function hiddenSelect(el, context, walk) {
    if (el.options.length < 2) return false;
    const next = el.nextElementSibling, parent = el.parentElement;
    const shows = (one) => one && one.getClientRects().length > 0 && WIDGET_CLASS.test(one.className) && one.localName !== 'select';
    const widget = shows(next) ? next : shows(parent) && parent.querySelectorAll('select').length === 1 ? parent : null;
    if (!widget) return false;
    flush(walk);
    for (const part of widget === parent ? parent.children : [widget]) if (part !== el) walk.skipped.add(part);
    put(el, 'select', 'combobox', context, walk, widget.getBoundingClientRect(), nameOf(el, 'select', 'combobox'), widget);
    return true;
  }
  function consider(el, tag, role, cs, context, inner, walk, hidden) {
    if (tag === 'input' && el.type === 'hidden') return { stop: true };
    if (tag === 'iframe' || tag === 'frame') return frameNode(el, context, walk, hidden);
    if (tag === 'select' && (hidden || el.offsetWidth <= 1)) return hiddenSelect(el, context, walk) ? { stop: true } : { stop: true };
    if (tag === 'label' && !context.inside) { const stand = labelAsControl(el, context, walk); if (stand) return stand; }
    if (tag === 'legend' || tag === 'figcaption') { if (el.parentElement && el.parentElement.querySelector(':scope > ' + tag) === el) return { mute: true }; }
    if (tag === 'caption' && role === 'caption') return { mute: true };
    const editable = el.isContentEditable && isRoot(el);
    let acting = editable ? (INTERACTIVE.has(role) ? role : 'textbox') : INTERACTIVE.has(role) ? role : '';
    if (role === 'listbox' && tag === 'select') acting = 'listbox';
    if (role === 'option' && el.closest('select')) acting = '';
    if (!acting && !CONTAINERS.has(role) && isClickable(el, tag, cs, context)) acting = 'clickable';
    else if (!acting && role === 'img' && isClickable(el, tag, cs, context)) acting = 'clickable';
    else if (!acting && /^(listitem|row|article|cell|gridcell|figure)$/.test(role) && isClickable(el, tag, cs, context)) acting = role;
    const scroller = acting ? null : scrollRange(el, tag, cs);
    if (acting) return control(el, tag, acting, role, cs, context, walk, hidden, editable);
    if (hidden && inner.hiddenBy !== 'visibility' && !scroller) return container(el, tag, role, context, walk, null);
    return container(el, tag, role, context, walk, scroller);
  }
  function isClickable(el, tag, cs, context) {
    if (tag === 'html' || tag === 'body' || tag === 'label') return false;
    if (el.hasAttribute('onclick') || el.getAttribute('draggable') === 'true') return true;
    if (el.tabIndex >= 0 && el.hasAttribute('tabindex')) return true;
    return cs.cursor === 'pointer' && !context.pointer && !context.inside;
  }
  function control(el, tag, acting, role, cs, context, walk, hidden, editable) {
    const isField = tag === 'input' || tag === 'textarea' || tag === 'select';
    const label = isField && el.labels && el.labels.length ? el.labels[0] : null;
    let rect = el.getBoundingClientRect();
    let lies = hidden;
    if (hidden && label && cs.visibility === 'visible') { const shown = label.getBoundingClientRect(); if (shown.width > 1 && shown.height > 1) { rect = rect.width > 1 && rect.height > 1 ? rect : shown; lies = false; } }
    if (hidden && cs.visibility !== 'visible') return tag === 'input' && el.type === 'file' ? (hiddenFile(el, context, walk), { stop: true }) : null;
    if (!rect.width && !rect.height && cs.display !== 'contents' && tag !== 'area') {
      const part = el.firstElementChild && el.firstElementChild.getBoundingClientRect();
      if (!part || (!part.width && !part.height)) { if (tag === 'input' && el.type === 'file') { hiddenFile(el, context, walk); return { stop: true }; } return isField ? { stop: true } : null; }
      rect = part;
    }
    if (acting === 'link' && cs.display === 'inline') {
      // The box of an inline link is a strip; what a person sees and clicks is the picture in it.
      const picture = el.querySelector('img,svg'), shown = picture && picture.getBoundingClientRect();
      if (shown && shown.height > rect.height) rect = shown;
    }
    if (context.inside && acting === 'clickable' && /^(button|link)$/.test(roleOf(context.inside, context.inside.localName))) return null;
    flush(walk);
    let name, mute = MUTING.has(acting);
    if (acting === 'clickable') {
      const whole = nameOf(el, tag, 'clickable');
      name = whole.length < NAME_MAX ? whole : headingIn(el) || clean(whole, 80);
      mute = whole.length < NAME_MAX && whole === textOf(el, NAME_MAX);
    } else { name = nameOf(el, tag, acting); if (acting === 'link' && name.length >= NAME_MAX) mute = false; }
    if (acting === 'listitem' || acting === 'row' || acting === 'article') { name = nameOf(el, tag, role) || textOf(el, 80); mute = false; }
    const node = put(el, tag, acting, context, walk, rect, name);
    if (lies) { delete node.v; delete node.c; }
    if (editable) node.e = 1;
    const stop = isField || editable || tag === 'video' || tag === 'audio';
    return { kept: true, acts: true, mute, stop };
  }
  function labelAsControl(el, context, walk) {
    const input = el.control;
    if (!input || (input.type !== 'checkbox' && input.type !== 'radio')) return null;
    const cs = getComputedStyle(input);
    if (cs.display !== 'none' && cs.visibility === 'visible') return null;
    flush(walk);
    const role = roleOf(input, 'input');
    const node = put(el, 'label', role, context, walk, el.getBoundingClientRect(), nameOf(input, 'input', role) || textOf(el, NAME_MAX));
    const states = statesOf(input, 'input', role, context).filter((one) => one !== 'aria-hidden');
    if (states.length) node.s = states; else delete node.s;
    node.t = 'input'; node.it = input.type;
    if (input.form) node.f = formKey(input.form, walk);
    return { kept: true, acts: true, mute: true };
  }
  function put(el, tag, role, context, walk, rect, name, stand) {
    const node = { d: context.depth, r: role, n: name, i: idOf(el), t: tag };
    placed(node, rect, context.clip);
    const states = statesOf(el, tag, role, context);
    if (states.length) node.s = states;
    const value = valueOf(el, tag, role);
    if (value !== null && value !== undefined) { node.val = clean(value.replace(/\n/g, ' ⏎ '), TEXT_MAX); if (value === MASK) node.m = 1; }
    if (tag === 'input') node.it = el.type;
    if (tag === 'button' && el.form) node.it = el.type;
    const placeholder = el.getAttribute('placeholder') || el.getAttribute('aria-placeholder') || el.getAttribute('data-placeholder');
    if (placeholder) node.p = clean(placeholder, NAME_MAX);
    if (role === 'link' && el.href) node.h = String(el.href.baseVal === undefined ? el.href : el.href.baseVal);
    const form = el.form || (el.closest && INTERACTIVE.has(role) ? el.closest('form') : null);
    if (form) node.f = formKey(form, walk);
    const list = tag === 'select' ? el.options : el.list ? el.list.options : null;
    if (list) {
      node.o = []; node.on = list.length;
      for (let at = 0; at < list.length && at < OPTIONS_MAX; at++) node.o.push(clean(list[at].label || list[at].value, NAME_MAX));
    }
    const attributes = stableAttributes(el, tag);
    if (attributes.length) node.a = attributes;
    const card = cardOf(el, walk);
    if (card) node.x = card;
    if (node.v && rect) {
      const cover = coverOf(stand || el, rect, context.clip);
      if (cover) { const what = describe(cover); node.c = said(what); walk.covers.set(node.c, [what.role, what.name, textOf(cover, 200) || textOf(openDialog() || cover, 200)]); }
    }
    walk.nodes.push(node);
    return node;
  }
  function cardOf(el, walk) {
    // The title of the repeated block that an element stands in: what tells twins in plain boxes apart.
    for (let node = el, up = 0; node && up < 5; up++) {
      const parent = parentOf(node);
      if (!parent || parent.nodeType !== 1 || parent === document.body.parentNode) return '';
      if (/^(li|tr|article|nav|header|footer|form|table|ul|ol)$/.test(node.localName)) return '';
      if (up > 0 && isRepeated(node, parent, walk)) return cardTitle(node, walk);
      node = parent;
    }
    return '';
  }
  function isRepeated(node, parent, walk) {
    let kinds = walk.kinds.get(parent);
    if (!kinds) {
      kinds = new Map();
      for (const child of parent.children) { const kind = kindOf(child); kinds.set(kind, (kinds.get(kind) || 0) + 1); }
      walk.kinds.set(parent, kinds);
    }
    return kinds.get(kindOf(node)) > 1;
  }
  const kindOf = (el) => el.localName + '.' + (el.getAttribute('class') || '').split(/\s+/)[0];
  function cardTitle(node, walk) {
    let title = walk.titles.get(node);
    if (title === undefined) { title = headingIn(node) || firstText(node); walk.titles.set(node, title); }
    return title;
  }
  function firstText(node) {
    const seen = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
    for (let at = 0; at < 20 && seen.nextNode(); at++) {
      const text = /\S/.test(seen.currentNode.data) && !seen.currentNode.parentElement.closest('script,style,button') ? clean(seen.currentNode.data, 60) : '';
      if (text) return text;
    }
    return '';
  }
  function stableAttributes(el, tag) {
    const found = [];
    const id = el.getAttribute('id');
    if (id && id.length <= 60 && (id.match(/\d/g) || []).length < 4 && !/[0-9a-f]{8,}|^:r|^radix|^headlessui/i.test(id)) found.push(['id', id]);
    for (const name of ['name', 'data-testid', 'data-test', 'data-qa']) { const value = el.getAttribute(name); if (value && value.length <= 80) found.push([name, value]); }
    if ((tag === 'input' || tag === 'button') && el.hasAttribute('value') && (el.type === 'radio' || el.type === 'checkbox' || el.type === 'submit')) found.push(['value', el.getAttribute('value').slice(0, 60)]);
    if (tag === 'a' && el.hasAttribute('href')) { try { const url = new URL(el.href); if (url.protocol.startsWith('http')) found.push(['href', url.pathname]); } catch { /* not an address */ } }
    return found;
  }
  function formKey(form, walk) {
    const action = form.getAttribute('action');
    let path = location.pathname;
    if (action) { try { path = new URL(action, document.baseURI).pathname; } catch { path = action; } }
    return [walk.forms.get(form) || 0, (form.getAttribute('method') || 'get').toUpperCase(), path];
  }
  function scrollRange(el, tag, cs) {
    if (tag === 'textarea' || tag === 'input' || tag === 'select') return null;
    const down = el.scrollHeight - el.clientHeight, across = el.scrollWidth - el.clientWidth;
    if (down > 4 && /^(auto|scroll|overlay)$/.test(cs.overflowY) && el.clientHeight > 20) return [Math.round(el.scrollTop), down];
    if (across > 4 && /^(auto|scroll|overlay)$/.test(cs.overflowX) && el.clientWidth > 20) return [Math.round(el.scrollLeft), across];
    return null;
  }
  function container(el, tag, role, context, walk, scroller) {
    if (role === 'canvas') {
      const rect = el.getBoundingClientRect();
      if (rect.width >= 60 && rect.height >= 60 && !context.mute) { flush(walk); walk.canvases.push([Math.round(rect.width), Math.round(rect.height)]); walk.nodes.push(placed({ d: context.depth, r: 'canvas', n: nameOf(el, tag, role) }, rect, context.clip)); }
      return { stop: true };
    }
    if (role === 'img' || role === 'progressbar' || role === 'meter' || role === 'video' || role === 'audio') {
      const name = nameOf(el, tag, role);
      if (context.mute || context.hidden || (!name && role === 'img')) return { stop: tag !== 'svg' || Boolean(name) };
      flush(walk);
      const node = placed({ d: context.depth, r: role, n: name }, el.getBoundingClientRect(), context.clip);
      const value = valueOf(el, tag, role);
      if (value) node.val = value;
      if ((role === 'video' || role === 'audio') && el.controls) node.i = idOf(el);
      walk.nodes.push(node);
      return { stop: true };
    }
    if (context.mute && !scroller && role !== 'dialog' && role !== 'alertdialog') return null;
    let kept = CONTAINERS.has(role);
    let name = kept || NAMED_CONTAINERS.has(role) ? nameOf(el, tag, role) : '';
    if (NAMED_CONTAINERS.has(role) && name) kept = true;
    if (kept && (context.hidden || getComputedStyle(el).visibility !== 'visible') && !scroller) return null;
    if (!kept && !scroller) { if (role !== 'tooltip') return null; }
    flush(walk);
    const node = placed({ d: context.depth, r: kept ? role : 'scroller', n: name || (scroller ? nameOf(el, tag, 'scroller') : '') }, el.getBoundingClientRect(), context.clip);
    if (role === 'heading') node.l = Number(el.getAttribute('aria-level')) || Number(tag[1]) || 2;
    if (role === 'form' && tag === 'form') node.f = formKey(el, walk);
    if (scroller) { node.i = idOf(el); node.t = tag; node.sc = scroller; node.a = stableAttributes(el, tag); }
    if (role === 'columnheader' || role === 'option' || role === 'row') { const states = statesOf(el, tag, '', context); if (states.length) node.s = states; const sort = el.getAttribute('aria-sort'); if (sort && sort !== 'none') node.val = sort; }
    if (role === 'dialog' || role === 'alertdialog') { const modal = isOn(el, 'aria-modal') || (tag === 'dialog' && el.matches(':modal')) || isOverAll(el); if (modal) walk.modal = name || role; node.s = modal ? ['modal'] : []; if (!node.s.length) delete node.s; }
    walk.nodes.push(node);
    return { kept: true, mute: MUTING.has(role) };
  }
  function isOverAll(el) {
    const rect = el.getBoundingClientRect();
    if (!rect.width || !rect.height) return false;
    const corners = [[4, 4], [innerWidth - 5, 4], [4, innerHeight - 5], [innerWidth - 5, innerHeight - 5]];
    const top = corners.map(([x, y]) => deepHit(x, y));
    return top.every((hit) => hit && hit !== document.body && hit !== document.documentElement && (contains(el, hit) || (contains(hit, el) && getComputedStyle(hit).position === 'fixed') || (getComputedStyle(hit).position === 'fixed' && hit.childElementCount === 0)));
  }
  function frameNode(el, context, walk, hidden) {
    const rect = el.getBoundingClientRect();
    if (hidden || rect.width < 10 || rect.height < 10) return { stop: true };
    flush(walk);
    const cs = getComputedStyle(el);
    const left = rect.left + parseFloat(cs.borderLeftWidth) + parseFloat(cs.paddingLeft), top = rect.top + parseFloat(cs.borderTopWidth) + parseFloat(cs.paddingTop);
    const node = placed({ d: context.depth, r: 'iframe', n: nameOf(el, el.localName, 'iframe') }, rect, context.clip);
    node.fr = { id: idOf2(el), n: frameNumber(el), at: [Math.round(left), Math.round(top)], clip: context.clip.map(Math.round) };
    walk.nodes.push(node);
    return { stop: true };
  }
  function idOf2(el) {
    // Frames are found through numbers of their own, so that they take none from the controls.
    const id = -frameNumber(el);
    state.elements.set(id, new WeakRef(el));
    return id;
  }

  // ---- one element, before and after an action --------------------------------------------------------------
  function info(options) {
    const el = byId(options);
    if (!el) return { gone: true };
    const tag = el.localName, role = roleOf(el, tag);
    const control = tag === 'label' ? el.control : el;
    const hiddenControl = (tag === 'input' && el.type === 'file') || (tag === 'select' && (el.offsetWidth <= 1 || getComputedStyle(el).display === 'none' || getComputedStyle(el).opacity === '0'));
    const answer = { tag, type: el.type || '', role, disabled: el.matches(':disabled') || isOn(el, 'aria-disabled') || Boolean(el.closest('[inert]')), readonly: el.readOnly === true || isOn(el, 'aria-readonly'), editable: el.isContentEditable || tag === 'textarea' || (tag === 'input' && !/^(checkbox|radio|button|submit|reset|image|file|hidden)$/.test(el.type)), hiddenControl, multiple: el.multiple === true, form: Boolean(el.form), pattern: el.getAttribute('pattern'), min: el.min || '', max: el.max || '', step: el.step || '', maxLength: el.maxLength > 0 ? el.maxLength : 0, combobox: role === 'combobox' || el.hasAttribute('aria-autocomplete') };
    if (control && (control.type === 'checkbox' || control.type === 'radio')) { answer.checkable = control.type; answer.checked = control.checked; }
    else if (el.hasAttribute('aria-checked') || role === 'switch' || role === 'menuitemcheckbox' || role === 'menuitemradio') { answer.checkable = role; answer.checked = isOn(el, 'aria-checked'); }
    else if (el.hasAttribute('aria-pressed')) { answer.checkable = 'toggle'; answer.checked = isOn(el, 'aria-pressed'); }
    if (tag === 'select') answer.options = [...el.options].map((option) => ({ label: clean(option.label), value: option.value, disabled: option.disabled || Boolean(option.parentElement.disabled), selected: option.selected }));
    if (role === 'combobox' || role === 'listbox') {
      const owned = document.getElementById(el.getAttribute('aria-controls') || el.getAttribute('aria-owns') || '');
      answer.popup = [...(owned || (role === 'listbox' ? el : document.createElement('i'))).querySelectorAll('[role=option]')].filter((option) => option.getClientRects().length).map((option) => ({ label: textOf(option), id: idOf(option) }));
    }
    if (!hiddenControl && !options.still) Object.assign(answer, bring(el));
    answer.value = readValue(el, tag);
    return answer;
  }
  function readValue(el, tag) {
    if (tag === 'select') return [...el.selectedOptions].map((option) => clean(option.label)).join(', ');
    if (tag === 'input' && el.type === 'file') return [...el.files].map((file) => file.name).join(', ');
    if (tag === 'input' || tag === 'textarea') return el.value;
    return el.isContentEditable ? el.innerText.replace(/\n+$/, '') : '';
  }
  function bring(el) {
    // Scrolls until the middle of the element is free; that is what a person does before a click.
    const view = [0, 0, innerWidth, innerHeight];
    let cover = null;
    for (const block of [null, 'center', 'end', 'start']) {
      if (block) el.scrollIntoView({ block, inline: 'nearest', behavior: 'instant' });
      const rect = el.getBoundingClientRect();
      if (!rect.width && !rect.height && !el.firstElementChild) return { visible: false };
      const clip = clipOf(el, view);
      const free = rect.right > clip[0] && rect.left < clip[2] && rect.bottom > clip[1] && rect.top < clip[3];
      const middle = rect.top + rect.height / 2;
      if (!free || (block === null && (middle < clip[1] || middle > clip[3] || rect.left + rect.width / 2 < clip[0] || rect.left + rect.width / 2 > clip[2]))) continue;
      cover = coverOf(el, rect, clip);
      if (!cover) return { visible: true, box: [Math.round(rect.left), Math.round(rect.top), Math.round(rect.width), Math.round(rect.height)] };
    }
    return cover ? { visible: true, cover: said(describe(cover)) } : { visible: false };
  }
  function clipOf(el, view) {
    let clip = view;
    for (let node = parentOf(el); node && node.nodeType === 1 && node !== document.body && node !== document.documentElement; node = parentOf(node)) {
      const cs = getComputedStyle(node);
      if (cs.overflowX === 'visible' || cs.display === 'inline' || cs.display === 'contents') continue;
      const rect = node.getBoundingClientRect();
      clip = [Math.max(clip[0], rect.left), Math.max(clip[1], rect.top), Math.min(clip[2], rect.right), Math.min(clip[3], rect.bottom)];
    }
    return clip;
  }
  function move(options) {
    let el = options.id === undefined ? null : byId(options);
    if (options.id !== undefined && !el) return { gone: true };
    const across = options.direction === 'left' || options.direction === 'right';
    const sign = options.direction === 'up' || options.direction === 'left' ? -1 : 1;
    if (!el) el = bestScroller(across, sign);
    const size = el === document.scrollingElement ? (across ? innerWidth : innerHeight) : across ? el.clientWidth : el.clientHeight;
    const read = () => (across ? el.scrollLeft : el.scrollTop);
    const limit = across ? el.scrollWidth - el.clientWidth : el.scrollHeight - el.clientHeight;
    const before = read(), step = sign * Math.round(size * options.amount);
    el.scrollBy({ left: across ? step : 0, top: across ? 0 : step, behavior: 'instant' });
    const after = read();
    const rect = el === document.scrollingElement ? { left: 0, top: 0, width: innerWidth, height: innerHeight } : el.getBoundingClientRect();
    return { moved: Math.round(after - before), end: sign > 0 ? after >= limit - 1 : after <= 0, wheel: [rect.left + rect.width / 2, rect.top + rect.height / 2], step: across ? [step, 0] : [0, step] };
  }
  function bestScroller(across, sign) {
    const page = document.scrollingElement || document.documentElement;
    const room = (el) => (across ? (sign > 0 ? el.scrollWidth - el.clientWidth - el.scrollLeft : el.scrollLeft) : sign > 0 ? el.scrollHeight - el.clientHeight - el.scrollTop : el.scrollTop);
    const locked = /hidden|clip/.test(getComputedStyle(page).overflowY) && page.scrollTop === 0;
    if (room(page) > 1 && !locked) return page;
    let best = page, area = 0;
    for (const el of document.querySelectorAll('body *')) {
      if (el.scrollHeight <= el.clientHeight + 4 && el.scrollWidth <= el.clientWidth + 4) continue;
      const cs = getComputedStyle(el);
      if (!/^(auto|scroll|overlay)$/.test(across ? cs.overflowX : cs.overflowY) || room(el) <= 1) continue;
      const size = el.clientWidth * el.clientHeight;
      if (size > area) { best = el; area = size; }
    }
    return best;
  }
  function stat(options) {
    const s = current();
    let pending = false;
    if (options.beat) pending = !window.dispatchEvent(new Event(options.beat, { cancelable: true }));
    return { doc: s.doc, mutations: s.mutations, age: Math.round(performance.now() - s.lastMutation), ready: document.readyState, pending, url: document.URL };
  }
  function freeze() {
    // Makes pictures repeatable: no caret, endless animations at their start. `thaw` undoes it; no node is touched.
    const s = current();
    if (s.frozen) return {};
    s.frozen = [];
    for (const animation of document.getAnimations ? document.getAnimations() : []) {
      const timing = animation.effect && animation.effect.getComputedTiming();
      if (!timing || timing.endTime !== Infinity || animation.playState !== 'running') continue;
      s.frozen.push([animation, animation.currentTime, animation.playbackRate]);
      animation.currentTime = 0;
      animation.playbackRate = 0;
    }
    const focused = deepFocus();
    if (focused && (focused.isContentEditable || focused.localName === 'input' || focused.localName === 'textarea')) {
      if (!s.sheet) { s.sheet = new CSSStyleSheet(); s.sheet.replaceSync('*, :root { caret-color: transparent !important; }'); }
      const root = focused.getRootNode();
      s.styled = [root, root.adoptedStyleSheets];
      root.adoptedStyleSheets = [...root.adoptedStyleSheets, s.sheet];
    }
    return { frozen: s.frozen.length };
  }
  function thaw() {
    const s = current();
    for (const [animation, time, rate] of s.frozen || []) { animation.playbackRate = rate; animation.currentTime = time; }
    if (s.styled) { s.styled[0].adoptedStyleSheets = [...s.styled[0].adoptedStyleSheets].filter((sheet) => sheet !== s.sheet); s.styled = null; }
    s.frozen = null;
    return {};
  }
  function find(options) {
    const body = document.body;
    return { found: Boolean(body && clean(body.innerText || '').toLowerCase().includes(options.text.toLowerCase())) };
  }

  const has = (options) => ({ there: byId(options) !== null });

  const VERBS = { snap, has, info, move, stat, freeze, thaw, find };
  function query(root, selector) {
    const at = selector.indexOf(':');
    const verb = selector.slice(0, at);
    const bytes = selector.slice(at + 1).match(/../g) || [];
    const options = bytes.length ? JSON.parse(new TextDecoder().decode(new Uint8Array(bytes.map((pair) => parseInt(pair, 16))))) : {};
    if (verb === 'ref') return byId(options);
    const answer = document.createElement('i');
    answer.textContent = JSON.stringify(VERBS[verb](options));
    return answer;
  }
  return { query, queryAll: (root, selector) => { const one = query(root, selector); return one ? [one] : []; } };
})()
