import { describe, expect, test } from 'vitest';
import { prefersMarkdown } from '#shared/engine/http/accept.ts';
import { failingRun } from '#test/harness/failing-run.ts';
import { send } from './wire.ts';

const MARKDOWN: readonly string[] = [
  'text/markdown',
  'TEXT/Markdown',
  'text/markdown; charset=utf-8',
  'text/markdown;variant=GFM;q=0.2',
  'text/markdown, */*',
  '*/*, text/markdown',
  'text/markdown,*/*;q=1',
  'text/markdown;q=0.5, */*;q=0.5',
  'text/markdown, application/*',
  'text/*, */*',
  'text/markdown, application/json;q=0.1',
  'application/json;q=0.9, text/markdown',
  'application/json;q=0, */*',
  'application/json;q=0, text/markdown;q=0.001',
  '*/*;q=0.1, text/markdown;q=0.2',
];
const JSON_IS_SENT: readonly string[] = [
  '',
  '*/*',
  'application/json',
  'application/json, */*',
  'application/*, */*',
  'application/json, text/*',
  'text/markdown, application/json',
  'application/json, text/markdown',
  'text/markdown;q=0, */*',
  'text/markdown;q=0.4, */*;q=0.5',
  'text/markdown;q=0.4, application/json;q=0.5',
  'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'text/markdownish, */*',
  'text/markdown;q=much, */*',
  'text/plain',
];

describe('§4.3 The `Accept` header', () => {
  test.each(MARKDOWN)('A request with the `Accept` header %j gets Markdown', (value) =>
    expect(prefersMarkdown(value)).toBe(true),
  );

  test.each(JSON_IS_SENT)('A request with the `Accept` header %j gets JSON', (value) =>
    expect(prefersMarkdown(value)).toBe(false),
  );

  test('The `Accept` header, in one or several lines, decides the format of a failure context, unless `format` is given', async () => {
    const { runId, origin, keys } = await failingRun();
    const typeFor = async (accept: readonly string[], format = '') => {
      const headers = [['authorization', `Bearer ${keys.readOnly}`], ...accept.map((one) => ['accept', one])] as const;
      const path = `/v1/context?run_id=${runId}${format}`;
      const request = {
        method: 'GET',
        path,
        headers: headers.map(([name = '', value = '']) => [name, value] as const),
      };
      return (await send(origin, request)).headers['content-type'];
    };
    expect(await typeFor(['text/markdown, */*'])).toContain('text/markdown');
    expect(await typeFor(['text/markdown', '*/*'])).toContain('text/markdown');
    expect(await typeFor(['*/*', 'text/markdown'])).toContain('text/markdown');
    expect(await typeFor(['application/json', '*/*'])).toContain('application/json');
    expect(await typeFor(['text/markdown, */*'], '&format=json')).toContain('application/json');
    expect(await typeFor(['application/json'], '&format=md')).toContain('text/markdown');
  });
});
