// The WebSocket to the server: events in, commands out; after a break it connects again.

import { kept } from './parts.js';

/** @typedef {import('./types.js').Event} Event */

const AGAIN_MS = 1000;

/**
 * Connect to the server.
 * @param {(event: Event) => void} heard called with each event
 * @param {(isOpen: boolean) => void} changed called when the connection opens or breaks
 * @returns {(command: object) => void} a function that sends a command; without a connection the command is dropped
 */
export function connect(heard, changed) {
  /** @type {WebSocket} */
  let socket;
  let lastNumber = 0;
  const open = () => {
    socket = new WebSocket(`ws://${location.host}/socket${kept('screen') === 'watch' ? '?screen=watch' : ''}`);
    lastNumber = 0;
    socket.onopen = () => changed(true);
    socket.onmessage = (message) => {
      /** @type {Event} */
      const event = JSON.parse(message.data);
      if (event.number < lastNumber) return;
      lastNumber = event.number;
      heard(event);
    };
    socket.onclose = () => {
      changed(false);
      setTimeout(open, AGAIN_MS);
    };
  };
  open();
  // A computer that slept has lost the connection, or time: what is shown is fetched anew.
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden && socket.readyState === WebSocket.OPEN) socket.close();
  });
  return (command) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(command));
  };
}
