/** Reads the YAML below a result of TAP, which explains it. */

import type { ErrorTexts } from '#shared/reports/found-tests.ts';
import { KeptBeginning } from '#shared/reports/kept-text.ts';
import { REPORT_LIMITS } from '#shared/reports/limits.ts';
import { roundDuration } from '#shared/reports/times.ts';

const KEYS: ReadonlySet<string> = new Set([
  'message',
  'error',
  'stack',
  'expected',
  'actual',
  'operator',
  'duration_ms',
]);
const KEY = /^([A-Za-z_]\w{0,50}):/;

/** Reads only `key: text` and blocks of text, without anchors and types. */
export class Yaml {
  readonly #values = new Map<string, KeptBeginning>();
  #base: number | undefined;
  #block: KeptBeginning | undefined;

  add(content: string, indent: number): void {
    this.#base ??= indent;
    const [beginning = '', key = ''] = indent <= this.#base ? (KEY.exec(content) ?? []) : [];
    const value = content.slice(beginning.length).trim();
    if (key === '') {
      if (indent > this.#base) this.#block?.add(`${' '.repeat(Math.max(0, indent - this.#base - 2))}${content}\n`);
      return;
    }
    this.#block = undefined;
    if (!KEYS.has(key) || this.#values.has(key)) return;
    const text = new KeptBeginning(REPORT_LIMITS.stackCharacters);
    this.#values.set(key, text);
    if (/^[|>][-+\d]*$/.test(value)) this.#block = text;
    else text.add(unquote(value));
  }

  #get(key: string): string {
    return this.#values.get(key)?.text.trimEnd() ?? '';
  }

  get duration(): number {
    return roundDuration(Number(this.#get('duration_ms')));
  }

  /** `text`: the lines below the result. */
  toError(text: string): ErrorTexts {
    const message = this.#get('message') || this.#get('error') || this.#describeValues();
    const stack = this.#get('stack');
    return message === '' && stack === '' ? { message: text.trim() } : { message, stack: stack || text };
  }

  #describeValues(): string {
    const values = ['operator', 'expected', 'actual'].map((key) => [key, this.#get(key)]);
    return values.flatMap(([key, value]) => (value === '' ? [] : `${key}: ${value}`)).join('\n');
  }
}

const unquote = (value: string): string => (/^(?:"[^"]*"|'[^']*')$/.test(value) ? value.slice(1, -1) : value);
