// A piece that follows the pointer while it is dragged: a cut from the picture of the board.

import { get } from './parts.js';

export class DragImage {
  constructor() {
    /** @type {HTMLElement | null} */
    this.part = null;
  }

  /**
   * Show what stands on a cell under the pointer.
   * @param {HTMLElement} cell
   * @param {PointerEvent} event
   */
  show(cell, event) {
    const box = cell.getBoundingClientRect();
    this.part ??= cut(cell, box);
    this.part.style.left = `${event.clientX - box.width / 2}px`;
    this.part.style.top = `${event.clientY - box.height / 2}px`;
  }

  hide() {
    this.part?.remove();
    this.part = null;
  }
}

/**
 * Return a copy of the picture of which only a cell is seen.
 * @param {HTMLElement} cell
 * @param {DOMRect} box of the cell
 */
function cut(cell, box) {
  const part = document.createElement('div');
  part.className = 'drag-image';
  part.style.width = `${box.width}px`;
  part.style.height = `${box.height}px`;
  const whole = get('picture').getBoundingClientRect();
  const image = get('picture').querySelector('img')?.cloneNode();
  if (image instanceof HTMLElement) {
    image.style.width = `${whole.width}px`;
    image.style.left = `${whole.left - box.left}px`;
    image.style.top = `${whole.top - box.top}px`;
    part.append(image);
  }
  get('board').append(part);
  return part;
}
