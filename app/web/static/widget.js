/* Puts the ask box of a course where the tag stands:
   <script src="https://HOST/widget.js" data-course="ds101" async></script> */
"use strict";

(() => {
  const tag = document.currentScript;
  const course = tag?.dataset.course;
  if (!course) return;
  const frame = document.createElement("iframe");
  frame.src = new URL(`/widget/${encodeURIComponent(course)}`, tag.src).href;
  frame.title = tag.dataset.title || "Ask about this course";
  /* No scripts: the box is a form. Its own origin, so that its service takes what it sends. */
  frame.sandbox = "allow-forms allow-same-origin allow-popups allow-popups-to-escape-sandbox";
  frame.referrerPolicy = "no-referrer";
  frame.loading = "lazy";
  frame.style.cssText = `border: 0; width: 100%; height: ${parseInt(tag.dataset.height, 10) || 420}px; color-scheme: normal`;
  tag.after(frame);
})();
