import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { buildAssets } from '#infra/build/assets.ts';
import { service } from '#test/harness/service.ts';
import { visitor } from '#test/harness/visitor.ts';

const LINK = /<link rel="stylesheet" href="([^"]+)"( media="not all")?>/g;

const stylesIn = (html: string): string[] => [...html.matchAll(/<style>(.*?)<\/style>/gs)].map(([, text = '']) => text);
const linksIn = (html: string) => [...html.matchAll(LINK)].map(([, path = '', media]) => ({ path, media }));
const listStyleFiles = (): string[] =>
  Object.entries(buildAssets())
    .filter(([path, { isOfTraceViewer }]) => path.endsWith('.css') && !isOfTraceViewer)
    .map(([, { content }]) => gunzipSync(Buffer.from(content, 'base64')).toString());
const hashOf = (style: string): string => `'sha256-${createHash('sha256').update(style).digest('base64')}'`;

describe('The style sheet', () => {
  test.each(['none', 'cross-site', 'same-site'])(
    'is part of a page that is opened from elsewhere (%s), and the policy allows only the hashes of style sheets',
    async (site) => {
      const { origin } = await service();
      const { html, headers } = await visitor(origin).get('/sign-in', { 'sec-fetch-site': site });
      const links = linksIn(html);
      expect(links.map(({ media }) => media)).toEqual(links.map(() => ' media="not all"'));
      const files = await Promise.all(links.map(async ({ path }) => (await visitor(origin).get(path)).html));
      expect(stylesIn(html)).toEqual(files);
      const policy = /style-src 'self' ([^;]+);/.exec(headers.get('content-security-policy') ?? '')?.[1]?.split(' ');
      expect(policy).toEqual(expect.arrayContaining(files.map(hashOf)));
      expect(policy?.toSorted()).toEqual(listStyleFiles().map(hashOf).toSorted());
    },
  );

  test.each(['same-origin', undefined])(
    'is a file of its own on the way from page to page, and for clients that do not say where they come from (%s)',
    async (site) => {
      const { origin } = await service();
      const sent: Record<string, string> = site === undefined ? {} : { 'sec-fetch-site': site };
      const { html, headers } = await visitor(origin).get('/sign-in', sent);
      expect(stylesIn(html)).toEqual([]);
      expect(linksIn(html).filter(({ media }) => media !== undefined)).toEqual([]);
      expect(headers.get('vary')).toContain('Sec-Fetch-Site');
    },
  );

  test('The style sheet of settings is loaded by exactly those pages that use one of its classes', async () => {
    const { origin } = await service();
    const namesOn = async (path: string) =>
      linksIn((await visitor(origin).get(path)).html).map((link) => /\/assets\/(\w+)-/.exec(link.path)?.[1]);
    expect(await namesOn('/sign-in')).toEqual(['rundown', 'settings']);
    expect(await namesOn('/docs')).toEqual(['rundown']);
  });
});
