// What the search page does beyond its forms and links: "/" leads to the query box; the sliders rank again
// at once. The answer always comes from the server as a page, so that there is one way to write it.
"use strict";
(() => {
  const root = document.documentElement;
  const form = document.getElementById("search");
  const box = document.getElementById("q");
  const sliders = [...form.elements].filter((field) => field.type === "range");
  const weights = document.getElementById("weights");
  root.classList.add("with-script");
  if (weights && matchMedia("(max-width: 60rem)").matches) weights.open = false;

  document.addEventListener("keydown", (press) => {
    const typing = press.target.closest?.("input:not([type=range]), textarea, select, [contenteditable]");
    if (press.key !== "/" || typing || press.ctrlKey || press.metaKey || press.altKey) return;
    press.preventDefault();
    box.focus();
    box.select();
  });

  // An address names only the weights that differ from the usual ones.
  form.addEventListener("formdata", (event) => {
    for (const slider of sliders) {
      if (slider.value === slider.dataset.default) event.formData.delete(slider.name);
    }
  });

  const ranks = () => new Map([...document.querySelectorAll(".hits > li")].map((hit, i) => [hit.dataset.url, i]));
  const key = (fold) => `${fold.dataset.key} ${fold.closest("li").dataset.url}`;
  const before = ranks();
  let asking = null;

  function showMoves() {
    for (const [url, now] of ranks()) {
      const was = before.get(url);
      if (was === now) continue;
      const says = was === undefined ? "new here" : was > now ? `▲ ${was - now}` : `▼ ${now - was}`;
      const hit = document.querySelectorAll(".hits > li")[now];
      const note = document.createElement("span");
      note.className = "moved";
      note.textContent = says;
      note.title = was === undefined ? "was not among these results" : `was number ${was + 1} here`;
      hit.querySelector("h2").append(note);
    }
  }

  async function rankAgain() {
    asking?.abort();
    const mine = (asking = new AbortController());
    const shown = new URLSearchParams(location.search);
    const fields = new URLSearchParams(new FormData(form));
    fields.set("q", shown.get("q") ?? "");
    const address = `/?${fields}`;
    try {
      const answer = await fetch(address, { signal: mine.signal });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (mine.signal.aborted) return;
      const open = new Set([...document.querySelectorAll("#answer details[open]")].map(key));
      const made = document.importNode(page.getElementById("answer"), true);
      for (const fold of made.querySelectorAll("details[data-key]")) fold.open = open.has(key(fold));
      document.getElementById("answer").replaceWith(made);
      showMoves();
      const first = made.querySelector(".hits h2 a")?.textContent;
      const said = page.getElementById("said").textContent;
      document.getElementById("said").textContent = first ? `${said}, ranked again; first: ${first}` : said;
      history.replaceState(null, "", address);
    } catch (error) {
      if (error.name === "AbortError") return;
      document.getElementById("said").textContent = "The server does not answer: is the command still running?";
    }
  }

  function shownValue(slider) {
    slider.parentElement.querySelector(".value").textContent = slider.value;
  }
  let waiting = 0;
  function soon() {
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(rankAgain);
  }
  for (const slider of sliders) {
    slider.addEventListener("input", () => {
      shownValue(slider);
      soon();
    });
  }
  document.getElementById("reset")?.addEventListener("click", (click) => {
    click.preventDefault();
    for (const slider of sliders) {
      slider.value = slider.dataset.default;
      shownValue(slider);
    }
    soon();
  });
  // Back and forward may bring sliders that the browser filled in, and the results of others.
  for (const slider of sliders) shownValue(slider);
})();
