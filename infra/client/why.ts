/** `rundown why`: the failure context of a run, readable on a terminal. */
import { styleText } from 'node:util';
import type { EnvironmentVariables, Given } from './options.ts';
import { chosenRunId } from './runs.ts';
import { serviceOf } from './service.ts';

export async function why(given: Given, environment: EnvironmentVariables): Promise<string> {
  const service = serviceOf(given);
  const run_id = await chosenRunId(service, given, environment);
  const query = { run_id, detail: 'compact', limit: given.text('limit') };
  if (given.has('json')) return JSON.stringify(await service.json('/context', { query }), null, 2);
  return readable(await service.text('/context', { query: { ...query, format: 'md' }, accept: 'text/markdown' }));
}

type Style = Parameters<typeof styleText>[0];
const styled = (style: Style, text: string): string => styleText(style, text, { stream: process.stdout });

/** Test output may contain escape codes, which could forge terminal output. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are removed
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** Headings are bold, and code is dim. Without a terminal, the Markdown stays as it is. */
function readable(markdown: string): string {
  let inCode = false;
  return markdown
    .replaceAll('\r\n', '\n')
    .replaceAll(CONTROLS, '')
    .split('\n')
    .map((line) => {
      const isFence = /^\s*(```|~~~)/.test(line);
      if (isFence) inCode = !inCode;
      if (isFence || inCode) return styled('dim', line);
      return /^#{1,6} /.test(line) ? styled('bold', line) : line;
    })
    .join('\n');
}
