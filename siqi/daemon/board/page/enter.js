// Take the token out of the address, change it for the cookie, and go on to the page.

const TEXTS = {
  en: 'This address is not valid any more. Run “siqi board” again: it opens the page.',
  zh: '此地址已失效。请重新运行 siqi board，它会打开本页。',
};
const TRIED = 'tried';

const token = location.hash.slice(1);
history.replaceState(null, '', location.pathname + location.search);

/** Go on to the page, which comes if the browser has the cookie; a second time the cookie is not there. */
function goOn() {
  if (sessionStorage.getItem(TRIED)) {
    sessionStorage.removeItem(TRIED);
    const language = navigator.language.startsWith('zh') ? 'zh' : 'en';
    document.documentElement.lang = language;
    /** @type {HTMLElement} */ (document.getElementById('state')).textContent = TEXTS[language];
  } else {
    sessionStorage.setItem(TRIED, '1');
    location.replace(location.pathname + location.search);
  }
}

if (token) {
  const answer = await fetch('/enter', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ token }),
  });
  if (answer.ok) sessionStorage.removeItem(TRIED);
  else sessionStorage.setItem(TRIED, '1');
}
goOn();

export {};
