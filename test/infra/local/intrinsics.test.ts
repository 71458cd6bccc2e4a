import { describe, expect, test } from 'vitest';
import { NO_VALUE, type References, resolve } from '#infra/local/template/intrinsics.ts';

const scope: References = {
  ref: (name) => (name === 'AWS::NoValue' ? NO_VALUE : `<${name}>`),
  attribute: (logicalId, attribute) => `<${logicalId}.${attribute}>`,
};

/** A `${name}` reference inside `Fn::Sub`. */
const ref = (name: string) => `\${${name}}`;

describe('intrinsic functions', () => {
  test.each([
    ['Ref', { Ref: 'Table' }, '<Table>'],
    ['GetAtt as a list', { 'Fn::GetAtt': ['Data', 'Outputs.Name'] }, '<Data.Outputs.Name>'],
    ['GetAtt as text', { 'Fn::GetAtt': 'Data.Outputs.Name' }, '<Data.Outputs.Name>'],
    ['Join of nested references', { 'Fn::Join': ['/', ['a', { Ref: 'B' }, 3]] }, 'a/<B>/3'],
    ['Select from a Split', { 'Fn::Select': [1, { 'Fn::Split': ['|', { 'Fn::Join': ['|', ['a', 'b']] }] }] }, 'b'],
    [
      'Sub of references and attributes',
      { 'Fn::Sub': `${ref('A')}-${ref('B.Arn')}-${ref('!C')}` },
      `<A>-<B.Arn>-${ref('C')}`,
    ],
    ['Sub of its own values', { 'Fn::Sub': [`${ref('A')}-${ref('D')}`, { D: { Ref: 'E' } }] }, '<A>-<E>'],
  ])('%s is resolved', (_, value, expected) => {
    expect(resolve(value, scope)).toBe(expected);
  });

  test('are resolved anywhere in a value, and other parts of the value stay unchanged', () => {
    const value = { list: [{ Ref: 'A' }, 1, null, true], map: { deep: { 'Fn::Sub': `x${ref('A')}` } } };
    expect(resolve(value, scope)).toEqual({ list: ['<A>', 1, null, true], map: { deep: 'x<A>' } });
  });

  test('References to AWS::NoValue are removed', () => {
    const none = { Ref: 'AWS::NoValue' };
    expect(resolve({ a: none, b: [none, 1] }, scope)).toEqual({ b: [1] });
  });

  test('An unsupported intrinsic function causes an error with its name', () => {
    expect(() => resolve({ 'Fn::If': ['C', 1, 2] }, scope)).toThrow('The template uses Fn::If');
  });
});
