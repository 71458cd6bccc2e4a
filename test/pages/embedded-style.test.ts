import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { service } from '#test/harness/service.ts';
import { visitor } from '#test/harness/visitor.ts';

const LINK = /<link rel="stylesheet" href="([^"]+)"( media="not all")?>/;

const stylesIn = (html: string): string[] => [...html.matchAll(/<style>(.*?)<\/style>/gs)].map(([, text = '']) => text);

describe('The style sheet', () => {
  test.each(['none', 'cross-site', 'same-site'])(
    'is part of a page that is opened from elsewhere (%s), and its hash is the only one that the policy allows',
    async (site) => {
      const { origin } = await service();
      const { html, headers } = await visitor(origin).get('/sign-in', { 'sec-fetch-site': site });
      const [style = '', ...others] = stylesIn(html);
      expect(others).toEqual([]);
      const [, path = '', media] = LINK.exec(html) ?? [];
      expect(media).toBe(' media="not all"');
      expect((await visitor(origin).get(path)).html).toBe(style);
      const hash = createHash('sha256').update(style).digest('base64');
      expect(headers.get('content-security-policy')).toContain(`style-src 'self' 'sha256-${hash}';`);
    },
  );

  test.each(['same-origin', undefined])(
    'is a file of its own on the way from page to page, and for clients that do not say where they come from (%s)',
    async (site) => {
      const { origin } = await service();
      const sent: Record<string, string> = site === undefined ? {} : { 'sec-fetch-site': site };
      const { html, headers } = await visitor(origin).get('/sign-in', sent);
      expect(stylesIn(html)).toEqual([]);
      expect(LINK.exec(html)?.[2]).toBeUndefined();
      expect(headers.get('vary')).toContain('Sec-Fetch-Site');
    },
  );
});
