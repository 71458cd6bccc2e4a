/** Reads a report that consists of lines, with bounded memory per line. */
import { LineSplitter } from '#shared/engine/archives/line-splitter.ts';
import { parseJson } from '#shared/engine/json.ts';
import { REPORT_LIMITS } from '#shared/reports/limits.ts';
import type { ParserInput } from '#shared/reports/parser-input.ts';
import type { Warnings } from '#shared/reports/warnings.ts';
import { countValues } from './count-values.ts';

interface LineTaker {
  /** Called with each line that is not empty, without its line break. */
  line(text: string, bytes: Buffer): void;
  /** Called instead with a last line that has no line break, because the file may end within it. */
  lastLine?(text: string): void;
  /** Whether the rest of the file can be skipped. */
  readonly full: boolean;
}

export async function readLines(
  text: AsyncIterable<string>,
  taker: LineTaker,
  { input, warnings }: { readonly input: ParserInput; readonly warnings: Warnings },
): Promise<void> {
  let isEnd = false;
  const splitter = new LineSplitter((bytes, isWhole) => {
    input.reading.work(REPORT_LIMITS.work.line, input.name);
    const line = bytes.toString().replace(/\r$/, '');
    if (isWhole && isEnd && taker.lastLine) taker.lastLine(line);
    else if (isWhole) taker.line(line, bytes);
    else warnings.once('Lines of more than 4 MB are left out');
  }, REPORT_LIMITS.reportLineBytes);
  for await (const part of text) {
    if (taker.full) return;
    splitter.push(Buffer.from(part));
  }
  isEnd = true;
  splitter.end();
}

interface ObjectTaker {
  take(value: unknown): void;
  /** Called with a line that is not a JSON object: tools print to the same stream. */
  other?(line: string): void;
  readonly full: boolean;
}

/** Reads JSON, one object per line. Returns whether the last line is whole. */
export async function readObjects(
  text: AsyncIterable<string>,
  taker: ObjectTaker,
  context: { readonly input: ParserInput; readonly warnings: Warnings },
): Promise<boolean> {
  let isWhole = true;
  await readLines(
    text,
    {
      get full() {
        return taker.full;
      },
      line: (line, bytes) => {
        context.input.reading.work(countValues(bytes) * REPORT_LIMITS.work.jsonValue, context.input.name);
        const value = /^\s*\{/.test(line) ? parseJson(line) : undefined;
        isWhole = value !== undefined || !/^\s*\{/.test(line);
        if (value === undefined) taker.other?.(line);
        else taker.take(value);
      },
    },
    context,
  );
  return isWhole;
}
