/** `rundown open` shows the page of a run in the browser, and `rundown why` its failures on the terminal. */
import { spawn } from 'node:child_process';
import { makeVisible } from '#shared/engine/plain-text.ts';
import type { CommandLine } from './options.ts';
import { chooseRunId, readRunPageUrl } from './runs.ts';
import { makeService } from './service.ts';
import { CommandFailure } from './settings/failure.ts';
import { applyStyle } from './summary.ts';

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  win32: ['explorer.exe'],
};

export async function openRunPage(commandLine: CommandLine): Promise<string> {
  const service = makeService(commandLine);
  const runUrl = await readRunPageUrl(service, await chooseRunId(service, commandLine));
  if (commandLine.has('json')) return JSON.stringify({ runUrl });
  if (!/^https?:\/\//.test(runUrl))
    throw new CommandFailure(
      `The service answered with ${runUrl}, which is not a web address`,
      'Check the address in --url, RUNDOWN_URL or RUNDOWN_DSN',
    );
  const [program, ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  // On a machine without a browser, the command only shows the address.
  spawn(program, [...args, runUrl], { stdio: 'ignore', detached: true })
    .on('error', () => {})
    .unref();
  return runUrl;
}

/** `rundown why`: the failure context of a run, readable on a terminal. */
export async function explainFailures(commandLine: CommandLine): Promise<string> {
  const service = makeService(commandLine);
  const run_id = await chooseRunId(service, commandLine);
  const query = { run_id, detail: 'compact', limit: commandLine.text('limit') };
  if (commandLine.has('json')) return JSON.stringify(await service.json('/context', { query }), null, 2);
  return formatMarkdown(await service.text('/context', { query: { ...query, format: 'md' }, accept: 'text/markdown' }));
}

/** Spells out invisible characters. If the output is a terminal, headings become bold and code becomes dim. */
function formatMarkdown(markdown: string): string {
  let inCode = false;
  return makeVisible(markdown)
    .split('\n')
    .map((line) => {
      const isFence = /^\s*(```|~~~)/.test(line);
      if (isFence) inCode = !inCode;
      if (isFence || inCode) return applyStyle('dim', line);
      return /^#{1,6} /.test(line) ? applyStyle('bold', line) : line;
    })
    .join('\n');
}
