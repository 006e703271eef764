/// What makes a flame graph answer: it takes the window's width, zooms, goes from box to box and searches.
///
/// A box brings where it begins, its nanoseconds and its depth (`data-r`), and its name as the first line of its tooltip.
enum FlameScript {
  static let text = #"""
    (function () {
      "use strict";
      var svg = document.currentScript.closest("svg"), plot = svg.querySelector(".frames");
      var details = svg.querySelector(".details"), margin = Number(plot.getAttribute("data-left"));
      var undrawn = Number(plot.getAttribute("data-undrawn")), narrowest = 900, pad = 4, space = "http://www.w3.org/2000/svg";
      var hint = "click, Enter: zoom · arrows: from box to box · Escape: back · / or Ctrl-F: search";

      var boxes = [], path = [];
      Array.prototype.forEach.call(plot.children, function (node) {
        var numbers = node.getAttribute("data-r").split(" ").map(Number), lines = node.querySelector("title").textContent;
        var rects = node.querySelectorAll("rect"), name = lines.split("\n", 1)[0];
        var box = {
          node: node, rect: rects[0], hatch: rects[1], text: node.querySelector("text"), start: numbers[0], weight: numbers[1],
          depth: numbers[2], lines: lines, shown: name.replace(/(\p{M}{2})\p{M}+/gu, "$1"), index: boxes.length,
          y: Number(rects[0].getAttribute("y")), isPlain: /^[ -~]*$/.test(name), isOut: false,
          sought: lines.split("\n").slice(0, 2).join("\n").toLowerCase()
        };
        path.length = box.depth;
        box.parent = path[box.depth - 1] || null;
        path[box.depth] = box;
        boxes.push(box);
        node.boxOf = box;
      });
      if (!boxes.length) { return; }
      var root = boxes[0], focus = root, current = root, drawn = 0, letter = 0;

      /* Where the boxes are. */
      function joined(characters) { return typeof characters === "string" ? characters : characters.join(""); }
      function cut(characters, most) {
        if (characters.length <= most) { return joined(characters); }
        var tail = Math.floor((most - 1) / 2), head = most - 1 - tail;
        return joined(characters.slice(0, head)).replace(/ +$/, "") + "…"
          + (tail > 0 ? joined(characters.slice(-tail)).replace(/^ +/, "") : "");
      }
      /* As NameCut has it: without labels, without the closure, without the type. */
      function briefer(name, most) {
        if (name.length <= most || !/^[^()]*\([\p{L}\p{N}_:]*:\)$/u.test(name)) { return name; }
        var forms = [name.replace(/\([^()]*\)$/, "(…)")];
        forms.push(forms[0].replace(/^(?:(?:implicit )?closure #\d+ in )*(?:static )?/, ""));
        forms.push(forms[1].replace(/^.*\./, ""));
        return forms.filter(function (form) { return form.length <= most; })[0] || forms[2].slice(0, -3);
      }
      function label(box, width) {
        var room = width - 2 * pad, most = Math.floor(room / letter);
        if (most < Math.min(5, box.shown.length)) {
          if (box.text) { box.text.setAttribute("display", "none"); }
          return;
        }
        if (!box.text) {
          box.text = document.createElementNS(space, "text");
          box.text.setAttribute("y", box.y + 13);
          box.node.appendChild(box.text);
        }
        box.text.removeAttribute("display");
        if (box.isPlain) {
          box.text.textContent = cut(briefer(box.shown, most), most);
          return;
        }
        /* Letters of other widths are measured. */
        var characters = Array.from(box.shown), count = Math.min(characters.length, most);
        box.text.textContent = cut(characters, count);
        while (count > 2 && box.text.getComputedTextLength() > room) {
          count = Math.min(count - 1, Math.floor(count * room / box.text.getComputedTextLength()));
          box.text.textContent = cut(characters, Math.max(2, count));
        }
        if (box.text.getComputedTextLength() > room) { box.text.setAttribute("display", "none"); }
      }
      function arrange() {
        var whole = drawn - 2 * margin, scale = whole / (focus.weight || 1), end = focus.start + focus.weight;
        boxes.forEach(function (box) {
          var isAbove = box.depth < focus.depth && box.start <= focus.start && box.start + box.weight >= end;
          var isBelow = box === focus || (box.depth > focus.depth && box.start >= focus.start && box.start + box.weight <= end);
          var width = isAbove ? whole : box === focus ? whole : box.weight * scale;
          var isOut = !(isAbove || isBelow) || width < 0.3;
          if (isOut !== box.isOut) {
            box.isOut = isOut;
            if (isOut) { box.node.setAttribute("display", "none"); } else { box.node.removeAttribute("display"); }
          }
          box.node.classList.toggle("above", isAbove);
          if (isOut) { return; }
          var x = isAbove ? margin : margin + (box.start - focus.start) * scale;
          [box.rect, box.hatch].forEach(function (rect) {
            if (!rect) { return; }
            rect.setAttribute("x", x);
            rect.setAttribute("width", width);
          });
          label(box, width);
          if (box.text) { box.text.setAttribute("x", x + pad); }
        });
        tell(current === root && focus !== root ? focus : current);
      }
      function fit() {
        var width = Math.max(narrowest, svg.getBoundingClientRect().width);
        if (width === drawn) { return; }
        drawn = width;
        corner.setAttribute("x", width - margin - 220);
        arrange();
      }

      /* What is told of a box. */
      function percent(share) {
        var tenths = Math.round(share * 1000);
        return tenths === 0 && share > 0 ? "<0.1 %" : tenths / 10 + " %";
      }
      function tell(box) {
        var words = box === root && focus === root ? hint : box.lines.split("\n").join(" · ");
        if (focus !== root && box.depth > focus.depth) {
          words = percent(box.weight / (focus.weight || 1)) + " of what is shown · " + words;
        }
        details.textContent = words;
        var most = words.length, room = drawn - 2 * margin, characters = null;
        while (most > 3 && details.getComputedTextLength() > room) {
          characters = characters || Array.from(words);
          most = Math.min(most - 1, Math.floor(most * room / details.getComputedTextLength()));
          details.textContent = cut(characters, most);
        }
      }

      /* Zoom, and the way from box to box: one of them can be reached by the tab key. */
      function zoom(box) {
        focus = box;
        arrange();
      }
      function go(box, isThere) {
        if (!box) { return; }
        current.node.setAttribute("tabindex", "-1");
        current = box;
        box.node.setAttribute("tabindex", "0");
        box.node.focus({preventScroll: isThere});
        tell(box);
      }
      function neighbour(box, step) {
        for (var at = box.index + step; boxes[at]; at += step) {
          if (boxes[at].depth < box.depth) { return null; }
          if (boxes[at].depth === box.depth && !boxes[at].isOut) { return boxes[at]; }
        }
        return null;
      }
      function below(box) {
        for (var at = box.index + 1; boxes[at] && boxes[at].depth > box.depth; at++) {
          if (!boxes[at].isOut) { return boxes[at]; }
        }
        return null;
      }
      function boxAt(event) {
        var node = event.target.closest ? event.target.closest(".f") : null;
        return node ? node.boxOf : null;
      }
      boxes.forEach(function (box) {
        box.node.setAttribute("tabindex", box === root ? "0" : "-1");
        box.node.setAttribute("role", "button");
      });
      plot.addEventListener("click", function (event) {
        var box = boxAt(event);
        if (!box) { return; }
        zoom(box === focus && box.parent ? box.parent : box);
        go(box, true);
      });
      plot.addEventListener("pointerover", function (event) {
        var box = boxAt(event);
        if (box) { tell(box); }
      });
      plot.addEventListener("pointerleave", function () { tell(current); });
      plot.addEventListener("focusin", function (event) {
        var box = boxAt(event);
        if (box && box !== current) { go(box, true); }
      });

      /* Search: the share is that of all boxes that are found, those inside of others counted once. */
      var xhtml = function (name, parent) {
        return parent.appendChild(document.createElementNS("http://www.w3.org/1999/xhtml", name));
      };
      var corner = document.createElementNS(space, "foreignObject");
      [["y", 16], ["width", 220], ["height", 54], ["overflow", "visible"]].forEach(function (one) { corner.setAttribute(one[0], one[1]); });
      svg.appendChild(corner);
      var panel = xhtml("div", corner), input = xhtml("input", panel), answer = xhtml("div", panel);
      panel.setAttribute("class", "find");
      input.setAttribute("type", "search");
      input.setAttribute("placeholder", "Function or module  ( / )");
      input.setAttribute("aria-label", "Search functions and modules");
      answer.setAttribute("role", "status");
      function search() {
        var words = input.value.trim().toLowerCase(), count = 0, weight = 0, end = -1;
        boxes.forEach(function (box) {
          var isHit = words !== "" && box !== root && box.sought.indexOf(words) >= 0;
          box.node.classList.toggle("hit", isHit);
          if (!isHit) { return; }
          count++;
          if (box.start >= end) {
            weight += box.weight;
            end = box.start + box.weight;
          }
        });
        plot.classList.toggle("searching", words !== "");
        var share = percent(weight / (root.weight || 1));
        answer.textContent = words === "" ? "" : count === 0 ? (undrawn ? "in no box that is drawn" : "not found")
          : count.toLocaleString("en") + (count === 1 ? " box, " : " boxes, ") + (undrawn ? "at least " : "") + share;
      }
      input.addEventListener("input", search);
      input.addEventListener("keydown", function (event) {
        if (event.key === "Escape") {
          input.value = "";
          search();
          current.node.focus({preventScroll: true});
          event.preventDefault();
        }
        /* The browser's own search is the second Ctrl-F. */
        event.stopPropagation();
      });

      addEventListener("keydown", function (event) {
        var key = event.key;
        if ((event.ctrlKey || event.metaKey) && key.toLowerCase() === "f" && !event.altKey && !event.shiftKey) {
          scrollTo(0, 0);
          input.focus();
          input.select();
        } else if (event.ctrlKey || event.metaKey || event.altKey) { return; }
        else if (key === "/") {
          scrollTo(0, 0);
          input.focus();
          input.select();
        } else if (key === "Escape") {
          if (focus !== root) { zoom(root); } else { input.value = ""; search(); }
        } else if (!plot.contains(document.activeElement)) { return; }
        else if (key === "Enter" || key === " ") { zoom(current === focus && current.parent ? current.parent : current); }
        else if (key === "ArrowUp") { go(current.parent); }
        else if (key === "ArrowDown") { go(below(current)); }
        else if (key === "ArrowLeft") { go(neighbour(current, -1)); }
        else if (key === "ArrowRight") { go(neighbour(current, 1)); }
        else { return; }
        event.preventDefault();
      });

      /* The window's width is the picture's. */
      svg.removeAttribute("viewBox");
      svg.setAttribute("width", "100%");
      svg.style.minWidth = narrowest + "px";
      var probe = plot.appendChild(document.createElementNS(space, "text"));
      probe.textContent = "MMMMMMMMMMMMMMMMMMMM";
      letter = probe.getComputedTextLength() / 20 || 7;
      probe.remove();
      addEventListener("resize", fit);
      fit();
    })();

    """#
}
