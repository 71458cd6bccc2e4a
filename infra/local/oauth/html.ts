/** The only way from text to HTML. This template escapes its values. */
import { createHash } from 'node:crypto';

export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Content = string | Html | readonly Html[] | undefined;

export function html(strings: TemplateStringsArray, ...values: readonly Content[]): Html {
  return new Html(strings.map((text, index) => (index === 0 ? text : rendered(values[index - 1]) + text)).join(''));
}

function rendered(content: Content): string {
  if (content === undefined) return '';
  if (typeof content === 'string') return escaped(content);
  return content instanceof Html ? content.text : content.map(({ text }) => text).join('');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');

const STYLE = `
:root { color-scheme: light dark; --line: #8a8f98; --accent: #0b57d0; --on-accent: #fff; --note: #fff4d6; --soft: #555b66 }
@media (prefers-color-scheme: dark) {
  :root { --line: #7d838d; --accent: #a8c7fa; --on-accent: #062e6f; --note: #3a3000; --soft: #b4bac4 }
}
* { box-sizing: border-box }
body { margin: 0; font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere }
main { max-width: 38rem; margin: 0 auto; padding: 1.5rem 1rem 3rem }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 1rem 0 }
h2 { font-size: 1.05rem; margin: 1.5rem 0 .5rem }
.note { background: var(--note); padding: .6rem .8rem; border-radius: .4rem; margin: 0 }
.soft { color: var(--soft) }
ul { list-style: none; padding: 0; margin: 0 }
li { margin: .5rem 0 }
.choices li > a, label { display: block; padding: .7rem .9rem; border: 1px solid var(--line); border-radius: .4rem }
label { display: flex; gap: .8rem; align-items: baseline; margin: .5rem 0; cursor: pointer }
a { color: var(--accent) }
fieldset { border: 0; margin: 0; padding: 0; min-width: 0 }
legend { padding: 0; font-weight: 600 }
button { font: inherit; font-weight: 600; padding: .6rem 1.3rem; border-radius: .4rem; cursor: pointer;
  border: 1px solid var(--accent); background: transparent; color: var(--accent) }
button.main { background: var(--accent); color: var(--on-accent) }
.buttons { display: flex; flex-wrap: wrap; gap: .8rem; margin: 1.5rem 0 0 }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
code { font-size: .95em }
`;
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

export interface Page {
  readonly title: string;
  readonly content: Html;
}

/** An optional note appears above everything else. */
export const documentOf = ({ title, content }: Page, note?: Html): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Rundown</title>
<style>${new Html(STYLE)}</style>
</head>
<body>
<main>
${note && html`<p class="note">${note}</p>`}
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`.text;

/** Browsers apply `form-action` to redirects too. So it names the issuer and the client's own address. */
export const securityHeaders = (formTarget: string | undefined): Readonly<Record<string, string>> => ({
  'Content-Security-Policy': [
    "default-src 'none'",
    `style-src 'sha256-${STYLE_HASH}'`,
    `form-action 'self'${formTarget ? ` ${formTarget}` : ''}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
});
