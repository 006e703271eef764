extension SVGStyle {
  /// Makes a viewer of a lean picture: it opens as a whole, between its head and its legend; wheel, pinch, drag and keys move
  /// it; what is close enough to be read becomes elements, tile by tile, and is given up when it leaves. A name or a number
  /// is searched in all of it, a click shows the lines of an operation, and `FILE#op-5` opens at it.
  static let leanScript = #"""
    (function () {
      "use strict";
      var svg = document.currentScript.closest("svg"), lean = svg.querySelector(".lean"), graph = lean.parentNode;
      var head = svg.querySelector(".head"), legend = svg.querySelector(".legend");
      var numbers = function (name) { return lean.getAttribute(name).split(" ").map(Number); };
      var box = numbers("data-box"), bounds = numbers("data-bounds"), side = numbers("data-side")[0];
      var looks = lean.querySelector(".looks").textContent.split("\n").map(function (line) { return line.split("\t"); });
      var margin = 28, legible = 0.5, most = 3000, closest = 2, top = 0, bottom = 0, view = {x: 0, y: 0, scale: 1};

      function element(name, attributes, parent) {
        var one = document.createElementNS("http://www.w3.org/2000/svg", name);
        for (var key in attributes) { one.setAttribute(key, attributes[key]); }
        if (parent) { parent.appendChild(one); }
        return one;
      }

      /* Tiles. */
      var tiles = {}, open = {};
      lean.querySelectorAll("[data-tile]").forEach(function (one) {
        var name = one.getAttribute("data-tile");
        var tile = tiles[name] = tiles[name] || {lines: [], boxes: [], list: null};
        if (one.nodeName === "metadata") { tile.list = one; }
        else if (one.hasAttribute("data-ids")) { tile.lines.push(one); } else { tile.boxes.push(one); }
      });
      function operations(tile) {
        return !tile.list ? [] : tile.list.textContent.split("\n").map(function (line) {
          var parts = line.split(" "), names = parts.slice(4).join(" ").split("\t");
          return {
            id: parts[0], look: looks[parts[1]], x: Number(parts[2]), y: Number(parts[3]),
            /* The name without the sign before it; all of it. */
            shown: names[0], name: names[1] || names[0].replace(/^\S+ /, "")
          };
        });
      }
      function shapes(path) {
        return path.getAttribute("d").split("M").slice(1).map(function (shape) { return "M" + shape; });
      }
      function openTile(tile) {
        var made = [], ids = tile.lines.map(function (path) { return path.getAttribute("data-ids").split(" "); });
        var count = ids.reduce(function (sum, some) { return sum + some.length; }, 0);
        /* Where an operation has very many lines, they stay as they are. */
        tile.lines.forEach(function (path, number) {
          if (count > most) { return; }
          var group = element("g"), parts = shapes(path);
          ids[number].forEach(function (id, at) { element("path", {id: id, class: path.getAttribute("class"), d: parts[at]}, group); });
          path.setAttribute("display", "none");
          path.after(group);
          made.push(group);
        });
        var group = element("g"), outline = "M" + box[0] + " " + box[1] + "h" + box[2] + "v" + box[3] + "h-" + box[2] + "z";
        operations(tile).forEach(function (one) {
          var node = element("g", {id: one.id, class: one.look[0], transform: "translate(" + one.x + " " + one.y + ")"}, group);
          if (one.id === chosen) { node.classList.add("here"); }
          element("title", {}, node).textContent = one.name + "\n" + one.look[1];
          element("path", {d: outline}, node);
          element("text", {}, node).textContent = one.shown;
        });
        lean.appendChild(group);
        tile.boxes.forEach(function (one) { one.setAttribute("display", "none"); });
        return made.concat(group);
      }
      function closeTile(name) {
        open[name].forEach(function (one) { one.remove(); });
        delete open[name];
        tiles[name].lines.concat(tiles[name].boxes).forEach(function (one) { one.removeAttribute("display"); });
      }
      function showTiles() {
        var wanted = {};
        if (view.scale >= legible) {
          var left = -view.x / view.scale - box[2], right = (innerWidth - view.x) / view.scale + box[2];
          var above = (top - view.y) / view.scale - box[3], below = (innerHeight - bottom - view.y) / view.scale + box[3];
          for (var row = Math.floor(above / side); row * side < below; row++) {
            for (var column = Math.floor(left / side); column * side < right; column++) {
              if (tiles[column + "/" + row]) { wanted[column + "/" + row] = true; }
            }
          }
        }
        Object.keys(open).forEach(function (name) { if (!wanted[name]) { closeTile(name); } });
        Object.keys(wanted).forEach(function (name) { if (!open[name]) { open[name] = openTile(tiles[name]); } });
      }

      /* Where one looks. */
      var planned = false;
      function draw() {
        if (planned) { return; }
        planned = true;
        requestAnimationFrame(function () {
          planned = false;
          graph.setAttribute("transform", "translate(" + view.x + " " + view.y + ") scale(" + view.scale + ")");
          lean.classList.toggle("far", view.scale < 0.15);
          lean.classList.toggle("near", view.scale >= legible);
          showTiles();
        });
      }
      function middle() { return [innerWidth / 2, (top + innerHeight - bottom) / 2]; }
      function whole() { return Math.min((innerWidth - 2 * margin) / bounds[2], (innerHeight - top - bottom - 16) / bounds[3], 1); }
      function look(x, y, scale) {
        view.scale = scale;
        view.x = middle()[0] - x * scale;
        view.y = middle()[1] - y * scale;
        draw();
      }
      function fit() { look(bounds[0] + bounds[2] / 2, bounds[1] + bounds[3] / 2, whole()); }
      function zoom(factor, x, y) {
        var scale = Math.min(closest, view.scale * factor);
        if (scale <= whole()) { return fit(); }
        view.x = x - (x - view.x) * scale / view.scale;
        view.y = y - (y - view.y) * scale / view.scale;
        view.scale = scale;
        draw();
      }
      function move(x, y) {
        /* Some of it stays in sight. */
        view.x = Math.min(innerWidth - 100 - bounds[0] * view.scale, Math.max(100 - (bounds[0] + bounds[2]) * view.scale, view.x + x));
        view.y = Math.min(innerHeight - bottom - 60 - bounds[1] * view.scale, Math.max(top + 60 - (bounds[1] + bounds[3]) * view.scale, view.y + y));
        draw();
      }

      /* What is chosen: its lines, also those of tiles that are not open. */
      var chosen = null, traced = null, ends = null, all = null;
      function everything() {
        if (!all) { all = [].concat.apply([], Object.keys(tiles).map(function (name) { return operations(tiles[name]); })); }
        return all;
      }
      function lines(id) {
        if (!ends) {
          ends = {};
          lean.querySelectorAll("[data-ids]").forEach(function (path) {
            path.getAttribute("data-ids").split(" ").forEach(function (edge, at) {
              edge.split("-").slice(1).forEach(function (end) { (ends[end] = ends[end] || []).push([path, at]); });
            });
          });
        }
        var parts = new Map();
        return (ends[id.replace("op-", "").replace("fold-", "f")] || []).map(function (end) {
          if (!parts.has(end[0])) { parts.set(end[0], shapes(end[0])); }
          return parts.get(end[0])[end[1]];
        }).join("");
      }
      function choose(id) {
        if (traced) { traced.remove(); }
        lean.querySelectorAll(".here").forEach(function (one) { one.classList.remove("here"); });
        chosen = id;
        traced = null;
        /* A link to it; what a file's address may not be given stays as it is. */
        try { history.replaceState(null, "", id ? "#" + id : location.pathname + location.search); } catch (error) { }
        if (!id) { return; }
        var node = document.getElementById(id);
        if (node) { node.classList.add("here"); }
        traced = element("path", {class: "traced", d: lines(id)});
        lean.querySelector(".lines").after(traced);
      }
      function show(one) {
        if (!one) { return false; }
        look(one.x + box[0] + box[2] / 2, one.y + box[1] + box[3] / 2, Math.max(view.scale, 1));
        choose(one.id);
        return true;
      }
      function showAddressed() {
        var id = location.hash.slice(1);
        return id !== "" && show(everything().find(function (one) { return one.id === id; }));
      }

      /* Head and legend stay where they can be read. */
      svg.removeAttribute("viewBox");
      svg.removeAttribute("style");
      svg.setAttribute("width", "100%");
      svg.setAttribute("height", "100%");
      svg.setAttribute("role", "group");
      svg.classList.add("viewer");
      svg.insertBefore(graph, head);
      var grounds = [head, legend].map(function (one) {
        var ground = element("rect", {class: "page", width: "100%"});
        one.before(ground);
        return ground;
      });
      var xhtml = function (name, parent) {
        return parent.appendChild(document.createElementNS("http://www.w3.org/1999/xhtml", name));
      };
      var corner = element("foreignObject", {y: 20, width: 240, height: 56, overflow: "visible"}, svg);
      var panel = xhtml("div", corner), input = xhtml("input", panel), answer = xhtml("div", panel);
      panel.setAttribute("class", "find");
      input.setAttribute("type", "search");
      input.setAttribute("placeholder", "Name or number  ( / )");
      input.setAttribute("aria-label", "Find an operation by its name or number");
      answer.setAttribute("role", "status");
      var hint = "wheel, + − 0: zoom · drag, arrows: move";
      answer.textContent = hint;
      function arrange() {
        var x = 0, y = 0;
        Array.prototype.forEach.call(legend.children, function (entry) {
          var width = entry.getBBox().width + 22;
          if (x > 0 && x + width > innerWidth - 2 * margin) { x = 0; y += 26; }
          entry.setAttribute("transform", "translate(" + x + " " + y + ")");
          x += width;
        });
        top = head.getBBox().y + head.getBBox().height + 12;
        bottom = y + 42;
        grounds[0].setAttribute("height", top);
        grounds[1].setAttribute("y", innerHeight - bottom);
        grounds[1].setAttribute("height", bottom);
        legend.setAttribute("transform", "translate(" + margin + " " + (innerHeight - bottom + 12) + ")");
        corner.setAttribute("x", innerWidth - margin - 240);
      }

      /* Search: Enter goes on, with the shift key back. */
      var found = [], at = -1, sought = "";
      function search(step) {
        var words = input.value.trim().toLowerCase(), number = words.replace(/^#/, "");
        if (words !== sought) {
          sought = words;
          at = step > 0 ? -1 : 0;
          found = words === "" ? [] : everything().filter(function (one) { return one.name.toLowerCase().indexOf(words) >= 0; });
          var exact = everything().filter(function (one) { return one.id === "op-" + number; });
          if (exact.length) { found = exact.concat(found.filter(function (one) { return one !== exact[0]; })); }
        }
        if (found.length) { at = (at + step + found.length) % found.length; show(found[at]); }
        answer.textContent = words === "" ? hint
          : found.length ? (at + 1).toLocaleString("en") + " of " + found.length.toLocaleString("en") : "no operation is called so";
      }
      input.addEventListener("keydown", function (event) {
        event.stopPropagation();
        if (event.key === "Enter") { search(event.shiftKey ? -1 : 1); }
        if (event.key === "Escape") { input.blur(); }
      });

      /* Pointers and keys. */
      var pointers = {}, moved = 0;
      function spread() {
        var two = Object.keys(pointers).map(function (id) { return pointers[id]; });
        return two.length < 2 ? null : {
          x: (two[0].x + two[1].x) / 2, y: (two[0].y + two[1].y) / 2, far: Math.hypot(two[0].x - two[1].x, two[0].y - two[1].y) || 1
        };
      }
      svg.addEventListener("wheel", function (event) {
        event.preventDefault();
        var turn = event.deltaY * (event.deltaMode === 1 ? 16 : 1);
        zoom(Math.exp(-Math.max(-300, Math.min(300, turn)) * (event.ctrlKey ? 0.01 : 0.003)), event.clientX, event.clientY);
      }, {passive: false});
      svg.addEventListener("pointerdown", function (event) {
        if (event.button !== 0 || corner.contains(event.target)) { return; }
        if (!Object.keys(pointers).length) { moved = 0; }
        pointers[event.pointerId] = {x: event.clientX, y: event.clientY};
      });
      addEventListener("pointermove", function (event) {
        var one = pointers[event.pointerId];
        if (!one) { return; }
        var before = spread(), x = event.clientX - one.x, y = event.clientY - one.y;
        moved += Math.abs(x) + Math.abs(y);
        one.x = event.clientX;
        one.y = event.clientY;
        var now = spread();
        if (!now) { return move(x, y); }
        view.x += now.x - before.x;
        view.y += now.y - before.y;
        zoom(now.far / before.far, now.x, now.y);
      });
      ["pointerup", "pointercancel"].forEach(function (name) {
        addEventListener(name, function (event) { delete pointers[event.pointerId]; });
      });
      svg.addEventListener("click", function (event) {
        if (moved > 4 || corner.contains(event.target)) { return; }
        var node = event.target.closest(".op[id]");
        choose(node && node.id !== chosen ? node.id : null);
      });
      svg.addEventListener("dblclick", function (event) {
        if (!corner.contains(event.target)) { zoom(3, event.clientX, event.clientY); }
      });
      addEventListener("keydown", function (event) {
        if (event.ctrlKey || event.metaKey || event.altKey) { return; }
        var step = event.shiftKey ? 400 : 100, key = event.key, at = middle();
        if (key === "+" || key === "=") { zoom(1.5, at[0], at[1]); }
        else if (key === "-") { zoom(1 / 1.5, at[0], at[1]); }
        else if (key === "0") { fit(); }
        else if (key === "ArrowLeft") { move(step, 0); }
        else if (key === "ArrowRight") { move(-step, 0); }
        else if (key === "ArrowUp") { move(0, step); }
        else if (key === "ArrowDown") { move(0, -step); }
        else if (key === "Escape") { choose(null); }
        else if (key === "/") { input.focus(); input.select(); }
        else { return; }
        event.preventDefault();
      });
      addEventListener("hashchange", showAddressed);
      addEventListener("resize", function () { arrange(); move(0, 0); });
      arrange();
      if (!showAddressed()) { fit(); }
    })();

    """#
}
