import { expect, test } from 'vitest';
import { keepExports } from '#infra/build/keep-exports.ts';

const SOURCE = `import { connect } from './connect.ts';
const secrets = connect('secrets');
const texts = { a: secrets };
function format() { return texts; }
const shared = 1;
export const showOne = page({ shared,
  text: 'one' });
export const submitTwo = form({ format, shared });
export type Three = number;
`;

test('The copy of a file of pages has only the pages of its function, and the constants that they use', () => {
  const kept = keepExports('pages.ts', SOURCE, new Set(['showOne']));
  expect(kept.replaceAll(/ +\n/g, '\n')).toBe(`import { connect } from './connect.ts';



const shared = 1;
export const showOne = page({ shared,
  text: 'one' });

export type Three = number;
`);
  expect(kept).toHaveLength(SOURCE.length);
  expect(keepExports('pages.ts', SOURCE, new Set(['showOne', 'submitTwo']))).toBe(SOURCE);
});
