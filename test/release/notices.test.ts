/** Tests the third-party notices and the software bill of materials of a release. */
import { readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { PROJECT } from '#infra/build/declarations.ts';
import { type BundledPackage, listBundledPackages } from '#infra/release/bundled-packages.ts';
import { buildNoticesFiles, formatNotices } from '#infra/release/notices.ts';
import { buildSbom } from '#infra/release/sbom.ts';
import { temporaryFolder } from '#test/infra/local/child.ts';

const bundled = await listBundledPackages();
const files = await buildNoticesFiles(bundled);

describe('The third-party notices', () => {
  test.each(files)('$path lists every package in its bundles with the license text', async ({ path, text }) => {
    const hint = 'Run `npm run notices`, and look at what changed';
    expect(await readFile(path, 'utf8'), hint).toBe(text);
  });

  test('A package is refused if its license is not accepted, or if it has no license text', async () => {
    const folder = await temporaryFolder();
    const one: BundledPackage = { name: 'one', version: '1.0.0', license: 'MIT', folder: relative(PROJECT, folder) };
    await expect(formatNotices('', [one])).rejects.toThrow('one 1.0.0 (MIT) contains no license text');
    await writeFile(join(folder, 'LICENSE.md'), 'Do what you like\r\n');
    expect(await formatNotices('Notices', [one])).toMatch(
      /^Notices\n\n-+\none 1\.0\.0 \(MIT\)\n-+\n\nDo what you like\n$/,
    );
    for (const license of ['GPL-3.0-only', 'SEE LICENSE IN LICENSE.md', 'UNLICENSED', 'toString'])
      await expect(formatNotices('', [{ ...one, license }])).rejects.toThrow(
        `one 1.0.0 (${license}). Use another package`,
      );
  });
});

const Document = z.object({
  specVersion: z.literal('1.6'),
  metadata: z.object({ component: z.object({ name: z.literal('rundown'), version: z.string() }) }),
  components: z.array(
    z.object({
      name: z.string(),
      version: z.string(),
      purl: z.string().startsWith('pkg:npm/'),
      hashes: z.tuple([z.object({ alg: z.literal('SHA-512'), content: z.string().length(128) })]),
      licenses: z.array(z.unknown()).nonempty(),
    }),
  ),
  dependencies: z.array(z.object({ ref: z.string(), dependsOn: z.array(z.string()) })),
});

describe('The software bill of materials', () => {
  test('lists exactly the bundled packages with their SHA-512 hashes, and contains no timestamp', async () => {
    const text = await buildSbom(bundled);
    const { components, dependencies } = Document.parse(JSON.parse(text));
    const named = (one: { readonly name: string; readonly version: string }) => `${one.name}@${one.version}`;
    expect(new Set(components.map(named))).toEqual(new Set([...bundled.service, ...bundled.client].map(named)));
    expect(dependencies).toHaveLength(components.length + 1);
    // With a timestamp or serial number, equal sources would give different files.
    expect(text).not.toMatch(/timestamp|serialNumber/);
  });
});
