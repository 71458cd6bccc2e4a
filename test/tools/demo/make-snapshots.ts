/**
 * Regenerates the pictures of the demo's project Wholesale whose snapshots differ: each as its branch expects it, as the
 * page looks now, and their difference. The first picture also differs in size.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pixelmatch from 'pixelmatch';
import { PNG } from 'pngjs';
import { PROJECT } from '#infra/build/declarations.ts';
import { launchChromium } from '#test/harness/launch-chromium.ts';

const FILES = join(PROJECT, 'infra/demo/story/files');

interface Colours {
  readonly accent: string;
  readonly ground: string;
}

const OLD: Colours = { accent: '#3d5a80', ground: '#e0e7ef' };
const NEW: Colours = { accent: '#b5452c', ground: '#f6e7dd' };

const TABLE_ROWS = [
  ['2026-118', 'Northern Steel', '1,204.00 €'],
  ['2026-121', 'Harbour Tools', '388.50 €'],
  ['2026-127', 'Mill & Sons', '12,060.00 €'],
];
/** The branch shows a row more. */
const NEW_ROW = ['2026-130', 'Bridge Works', '940.00 €'];

const formatTable = ({ accent, ground }: Colours, rows: readonly (readonly string[])[]): string =>
  `<table style="width:900px;border-collapse:collapse"><tr style="height:48px;background:${accent};color:white">
   <th>Contract</th><th>Customer</th><th>Total</th></tr>${rows
     .map((cells) => `<tr style="height:44px;background:${ground}">${cells.map((cell) => `<td>${cell}</td>`).join('')}`)
     .join('')}</table>`;

const formatCard = ({ accent, ground }: Colours): string =>
  `<div style="width:360px;height:180px;background:${ground};border-left:12px solid ${accent};padding:16px;box-sizing:border-box">
   <h2>Steel plates</h2><p>20 pieces, delivered on Monday</p><b style="color:${accent}">240.00 €</b></div>`;

const formatBadge = ({ accent }: Colours): string =>
  `<div style="width:160px;height:56px;border-radius:28px;background:${accent};color:white;text-align:center;line-height:56px">New</div>`;

const PICTURES = [
  ['contract-table', formatTable(OLD, TABLE_ROWS), formatTable(NEW, [...TABLE_ROWS, NEW_ROW])],
  ['offer-card', formatCard(OLD), formatCard(NEW)],
  ['offer-badge', formatBadge(OLD), formatBadge(NEW)],
] as const;

const browser = await launchChromium();
try {
  const page = await browser.newPage({ viewport: { width: 1000, height: 500 } });
  const take = async (name: string, html: string): Promise<PNG> => {
    await page.setContent(`<body style="margin:0;font:16px sans-serif"><div id=it style="width:fit-content">${html}`);
    const path = join(FILES, `${name}.png`);
    await page.locator('#it > *').screenshot({ path });
    return PNG.sync.read(await readFile(path));
  };
  for (const [name, before, after] of PICTURES) {
    const expected = await take(`${name}-expected`, before);
    const actual = await take(`${name}-actual`, after);
    const width = Math.max(expected.width, actual.width);
    const height = Math.max(expected.height, actual.height);
    const diff = new PNG({ width, height });
    const pixels = pixelmatch(enlarge(expected, diff), enlarge(actual, diff), diff.data, width, height);
    await writeFile(join(FILES, `${name}-diff.png`), PNG.sync.write(diff));
    console.log(name, `${expected.width} x ${expected.height}`, `${actual.width} x ${actual.height}`, pixels);
  }
} finally {
  await browser.close();
}

/** The pixels of the picture on a transparent ground of the larger size. */
function enlarge(picture: PNG, { width, height }: PNG): Buffer {
  const ground = new PNG({ width, height });
  PNG.bitblt(picture, ground, 0, 0, picture.width, picture.height, 0, 0);
  return ground.data;
}
