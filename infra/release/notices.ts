/** The notices that the licenses of bundled packages demand: their names, copyrights and license texts. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { NOTICES } from '#infra/build/assets.ts';
import { PROJECT } from '#infra/build/declarations.ts';
import type { BundledPackage, BundledPackages } from './bundled-packages.ts';

/** They allow distribution under our own license with their text. Before you add one, check what it demands. */
const ACCEPTED = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT'];

/** Files whose text must go with the code of a package. */
const TEXTS = /^(?:licen[cs]e|copying|notice)(?:[.-].*)?$/i;

const OF_CLIENT = join(PROJECT, 'infra/client/package/THIRD-PARTY-NOTICES');

export const buildNoticesFiles = async ({ service, client }: BundledPackages) => [
  { path: NOTICES, text: await formatNotices(SERVICE, service) },
  { path: OF_CLIENT, text: await formatNotices(CLIENT, client) },
];

const SERVICE = `Third-party notices of the service

The functions of Rundown and the files that they serve contain code of these packages, in part or as a whole.
The notices of what the trace viewer contains are served with it, as ThirdPartyNotices.txt.`;
const CLIENT = `Third-party notices of the client

This package contains code of these packages, in part or as a whole.`;

/** Throws if the license of a package is not accepted, or if its text is unknown. */
export async function formatNotices(heading: string, packages: readonly BundledPackage[]): Promise<string> {
  const refusedPackages = packages.filter(({ license }) => !ACCEPTED.includes(license));
  if (refusedPackages.length > 0)
    throw new Error(
      `The licenses of these packages are not on the list of accepted licenses: ${refusedPackages.map(formatPackageName).join(', ')}. Use another package, or add the license in infra/release/notices.ts if its terms are met`,
    );
  const texts = await Promise.all(
    packages.map(async (one) => [formatPackageName(one), await readLicenseText(one)] as const),
  );
  const sections = [...Map.groupBy(texts, ([, text]) => text)].map(([text, packageTexts]) =>
    [LINE, ...packageTexts.map(([name]) => name), LINE, '', text].join('\n'),
  );
  return `${[heading, ...sections].join('\n\n')}\n`;
}

const LINE = '-'.repeat(72);

const formatPackageName = ({ name, version, license }: BundledPackage): string => `${name} ${version} (${license})`;

async function readLicenseText(one: BundledPackage): Promise<string> {
  const folder = join(PROJECT, one.folder);
  const names = (await readdir(folder)).filter((name) => TEXTS.test(name)).sort();
  if (names.length === 0) return formatLicenseWithoutFile(one);
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  return texts.map((text) => text.replaceAll('\r\n', '\n').trim()).join('\n\n');
}

const MIDDY = 'Copyright (c) 2017-2026 will Farrell, Luciano Mammino, and Middy contributors';
/** From the README files of the packages. All of them have the MIT license. */
const WITHOUT_FILE: Readonly<Record<string, string>> = {
  '@middy/core': MIDDY,
  '@middy/http-error-handler': MIDDY,
  '@middy/http-json-body-parser': MIDDY,
  '@middy/util': MIDDY,
  'koa-compose': 'The package names its license, and no copyright holder.',
};

function formatLicenseWithoutFile(one: BundledPackage): string {
  const copyright = WITHOUT_FILE[one.name];
  if (copyright === undefined || one.license !== 'MIT')
    throw new Error(
      `${formatPackageName(one)} contains no license text: find its copyright line and, unless its license is MIT, the text of its license, and add them in infra/release/notices.ts`,
    );
  return `MIT License\n\n${copyright}\n\n${MIT}`;
}

const MIT = `Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.`;
