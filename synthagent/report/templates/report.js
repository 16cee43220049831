(() => {
  document.documentElement.classList.add("js");

  const cards = [...document.querySelectorAll(".gallery > details")];
  const groups = [...document.querySelectorAll("[data-filter]")];
  const shown = document.querySelector("#shown");
  const filter = () => {
    const wanted = groups.map((group) => [
      group.dataset.filter,
      group.querySelector("[aria-pressed=true]").dataset.value,
    ]);
    let count = 0;
    for (const card of cards) {
      card.hidden = wanted.some(([key, value]) => value && card.dataset[key] !== value);
      count += card.hidden ? 0 : 1;
    }
    shown.textContent = `${count} of ${cards.length}`;
  };
  for (const group of groups) {
    group.addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (!button) return;
      for (const other of group.querySelectorAll("button")) {
        other.setAttribute("aria-pressed", String(other === button));
      }
      filter();
    });
  }

  const map = document.querySelector(".map .scroll svg");
  if (!map) return;
  const ways = [...map.querySelectorAll(".way")];
  const kinds = [...map.querySelectorAll(".kind")];
  const light = (number) => {
    const near = new Set([number]);
    for (const way of ways) {
      const on = way.dataset.from === number || way.dataset.to === number;
      way.classList.toggle("on", on);
      if (on) near.add(way.dataset.from).add(way.dataset.to);
    }
    for (const kind of kinds) kind.classList.toggle("near", near.has(kind.dataset.number));
    map.classList.add("lit");
  };
  for (const kind of kinds) {
    kind.addEventListener("pointerenter", () => light(kind.dataset.number));
    kind.addEventListener("focus", () => light(kind.dataset.number));
    kind.addEventListener("pointerleave", () => map.classList.remove("lit"));
    kind.addEventListener("blur", () => map.classList.remove("lit"));
  }
})();
