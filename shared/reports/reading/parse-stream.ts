/** Parses one report that is not an archive. */

import { parseJson } from '#shared/engine/json.ts';
import { chooseDecoder, decodeText } from '#shared/reports/decoded-text.ts';
import { emptyReport, foreignReport, unknownReport, unreadableReport } from '#shared/reports/errors.ts';
import type { Format } from '#shared/reports/format.ts';
import { findForeignFormat } from '#shared/reports/formats/foreign.ts';
import { type Head, readHead } from '#shared/reports/head.ts';
import { REPORT_LIMITS } from '#shared/reports/limits.ts';
import type { ParserInput } from '#shared/reports/parser-input.ts';
import type { ParsedFile } from '#shared/reports/report.ts';
import { BEGINNING_BYTES, openReportFile } from '#shared/reports/unpacked.ts';
import { isZip } from './archive.ts';
import { findFormat, recognizeFormat } from './formats.ts';

export async function parseStream(stream: AsyncIterable<Uint8Array>, input: ParserInput): Promise<ParsedFile> {
  const name = input.name ?? '';
  input.reading.work(REPORT_LIMITS.work.file, name);
  let cut = false;
  const onCut = () => {
    cut = true;
  };
  const { beginning, bytes } = await openReportFile(stream, { name, reading: input.reading, onCut });
  if (isZip(beginning)) throw unreadableReport(name, 'is a zip archive inside a compressed file');
  const { parse } = input.format ? findFormat(input.format) : detectFormat(beginning, name);
  const file = await parse(decodeText(bytes, beginning), input);
  return cut ? { ...file, truncated: true } : file;
}

/** Recognizes the format of a file from its first bytes. Names and content types are often wrong. */
function detectFormat(beginning: Uint8Array, name: string): Format {
  if (beginning.length === 0) throw emptyReport(name);
  const head = readHead(chooseDecoder(beginning).decode(beginning));
  const format = recognizeFormat(head);
  if (format) return format;
  if (head.text === '') throw emptyReport(name);
  const foreignFormat = findForeignFormat(head);
  if (foreignFormat) throw foreignReport(name, ...foreignFormat);
  // A tool that crashed leaves a file that ends before anything tells its format.
  if (isCut(head, beginning.length)) throw unreadableReport(name, 'ends before its first test');
  if (!isAsNamed(head.text, name)) throw unreadableReport(name, 'begins with other text than a report');
  throw unknownReport(name);
}

/** The format of a file, from its beginning. */
export async function recognizeStream(
  stream: AsyncIterable<Uint8Array>,
  input: ParserInput,
): Promise<Format['format'] | undefined> {
  const { beginning, bytes } = await openReportFile(stream, {
    name: input.name ?? '',
    reading: input.reading,
    onCut: () => {},
  });
  await bytes[Symbol.asyncIterator]().return?.();
  return recognizeFormat(readHead(chooseDecoder(beginning).decode(beginning)))?.format;
}

/** Whether a file that is this short ends within its first element or value. */
function isCut({ text, rootName }: Head, bytes: number): boolean {
  if (bytes >= BEGINNING_BYTES) return false;
  if (text.startsWith('<')) return rootName === '' || !text.includes('>', text.indexOf(rootName));
  return text.startsWith('{') && parseJson(text) === undefined;
}

/** Whether the content may be what the ending of the name says. Output of a crashed tool is often in its report. */
function isAsNamed(text: string, name: string): boolean {
  if (/\.xml(?:\.gz)?$/i.test(name)) return text.startsWith('<');
  return !/\.json(?:\.gz)?$/i.test(name) || /^[{["\d\-tfn]/.test(text);
}
