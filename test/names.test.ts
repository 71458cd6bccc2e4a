import { beforeAll, describe, expect, test } from 'vitest';
import { countNames, type NameCounts } from './tools/names/count-names.ts';
import { readNames } from './tools/names/read-names.ts';

let counts: NameCounts;
beforeAll(async () => {
  counts = await countNames();
});

describe('Names of the product', () => {
  test('At least nine of ten functions begin with a verb', () => {
    expect(counts.withoutVerb.length / counts.functions).toBeLessThan(0.1);
  });

  test('At most 2 % of the functions end in Of, In, From, With or By', () => {
    expect(counts.withPreposition.length / counts.functions).toBeLessThan(0.02);
  });

  test('No type is a bare participle or adjective, and few locals are', () => {
    expect(counts.stateTypes).toEqual([]);
    expect(counts.stateLocals.length).toBeLessThan(100);
  });

  test('At most a tenth of the lines are comments', () => {
    expect(counts.commentLines / counts.lines).toBeLessThan(0.1);
  });
});

test('Functions, types and locals of a file are found, but no properties that a pattern takes', () => {
  const text = `/** Why. */
type Asked = string; // beside code
export const listOwn = (known: Asked) => known;
function found({ told, kept: wanted }: object, [seen]: string[]) {
  const sent = told;
}
`;
  const { declarations, commentLines, lines } = readNames('a.ts', text);
  expect(declarations.map(({ kind, name, line }) => `${line} ${kind} ${name}`).sort()).toEqual([
    '2 type Asked',
    '3 function listOwn',
    '3 local known',
    '4 function found',
    '4 local seen',
    '4 local wanted',
    '5 local sent',
  ]);
  expect([commentLines, lines]).toEqual([1, 6]);
});
