/** The two pages that the browser shows at the end of `npm run login`. They have no styles and load nothing. */
const documentOf = (title: string, text: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Rundown</title>
</head>
<body>
<main>
<h1>${title}</h1>
<p>${text}</p>
</main>
</body>
</html>
`;

export const RECEIVED = documentOf('Return to the terminal', 'Sign-in is complete. You can close this window.');
export const UNEXPECTED = documentOf(
  'Unexpected response',
  'Open the address that the terminal shows, and sign in there.',
);

export const PAGE_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': "default-src 'none'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
  Connection: 'close',
} as const;
