import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const ASSETS = join(import.meta.dirname, '../../shared/pages/assets');
const THEMES = ['light', 'dark'] as const;
const TEXT = 4.5;
const GRAPHICS = 3;
/** The background colors on which text appears. */
const GROUNDS = ['canvas', 'surface', 'sunken'];
const WRITTEN = ['text', 'text-2', 'text-3', 'accent', 'fail-text', 'pass-text', 'flaky-text', 'skip-text', 'run-text'];
const OUTCOMES = ['fail', 'pass', 'flaky', 'skip', 'run'];
/** The outcomes whose colors mark the differences between two compared values. */
const MARKED = ['fail', 'pass'];

type Theme = (typeof THEMES)[number];
type Colour = readonly [number, number, number];

const files = await readdir(ASSETS);
const css = (
  await Promise.all(files.filter((file) => file.endsWith('.css')).map((file) => readFile(join(ASSETS, file), 'utf8')))
).join('\n');

const PAIR = /light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/;
const tokens = new Map(
  [...css.matchAll(new RegExp(`--([\\w-]+): ${PAIR.source}`, 'g'))].map(([, name = '', light = '', dark = '']) => [
    name,
    { light, dark },
  ]),
);
/** The colors of terminal output, which has the background color `sunken`. */
const terminal = [...css.matchAll(new RegExp(`(?<!-)color: ${PAIR.source}`, 'g'))].map(([, light = '', dark = '']) => ({
  light,
  dark,
}));

const rgb = (hex: string): Colour => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)) as never;
const token = (name: string, theme: Theme): Colour => {
  const pair = tokens.get(name);
  if (!pair) throw new Error(`The style sheets have no color --${name}`);
  return rgb(pair[theme]);
};
/** Relative luminance as WCAG 2 defines it. */
function luminance(colour: Colour): number {
  const [red = 0, green = 0, blue = 0] = colour.map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: Colour, other: Colour): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

describe.each(THEMES)('Colors of the %s theme', (theme) => {
  test.each(WRITTEN)('Text in the color %s has a contrast of at least 4.5:1 on all backgrounds', (name) => {
    for (const background of GROUNDS)
      expect(contrast(token(name, theme), token(background, theme)), background).toBeGreaterThanOrEqual(TEXT);
  });

  test.each(OUTCOMES)('Outcomes in the color %s have a contrast of at least 4.5:1 as text and 3:1 as icons', (name) => {
    expect(contrast(token(`${name}-text`, theme), token(`${name}-soft`, theme))).toBeGreaterThanOrEqual(TEXT);
    expect(contrast(token(name, theme), token('surface', theme))).toBeGreaterThanOrEqual(GRAPHICS);
    expect(contrast(token('on-solid', theme), token(name, theme))).toBeGreaterThanOrEqual(GRAPHICS);
  });

  test.each(MARKED)('A difference that is marked with the color %s has a contrast of at least 4.5:1', (name) => {
    expect(contrast(token(`${name}-text`, theme), token(`${name}-mark`, theme))).toBeGreaterThanOrEqual(TEXT);
    for (const ground of [`${name}-soft`, 'accent-soft'])
      expect(contrast(token('text', theme), token(ground, theme))).toBeGreaterThanOrEqual(TEXT);
  });

  test('The text of a primary button has a contrast of at least 4.5:1, even while the pointer is on the button', () => {
    for (const ground of ['accent', 'accent-hover'])
      expect(contrast(token('on-accent', theme), token(ground, theme)), ground).toBeGreaterThanOrEqual(TEXT);
  });

  test('The name of a spec file has a contrast of at least 4.5:1 on its bar of the timeline', () => {
    for (const [name, bar] of [
      ['on-accent', 'fail'],
      ['on-flaky', 'flaky'],
      ['text', 'pass-mark'],
    ] as const)
      expect(contrast(token(name, theme), token(bar, theme)), bar).toBeGreaterThanOrEqual(TEXT);
  });

  test('The borders of inputs and the colors of charts have a contrast of at least 3:1', () => {
    for (const name of ['field', 'c1', 'c2', 'c3', 'c4', 'c5'])
      expect(contrast(token(name, theme), token('surface', theme)), name).toBeGreaterThanOrEqual(GRAPHICS);
  });

  test('Colored terminal output has a contrast of at least 4.5:1', () => {
    expect(terminal.length).toBeGreaterThan(1);
    for (const pair of terminal)
      expect(contrast(rgb(pair[theme]), token('sunken', theme)), pair[theme]).toBeGreaterThanOrEqual(TEXT);
  });
});

test('The function that computes contrast returns 21 for black on white, and 1 for a color on itself', () => {
  expect(contrast([0, 0, 0], [255, 255, 255])).toBeCloseTo(21);
  expect(contrast([9, 9, 9], [9, 9, 9])).toBe(1);
});

test('Every color of the style sheets is defined for both themes', () => {
  const known = [...css.matchAll(new RegExp(PAIR, 'g'))].flatMap(([, light, dark]) => [light, dark]);
  expect([...css.matchAll(/#[0-9a-f]{3,8}\b/gi)].map(([colour]) => colour)).toEqual(known);
});
