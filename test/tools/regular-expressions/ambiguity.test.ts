import { describe, expect, test } from 'vitest';
import { verdictOn } from './ambiguity.ts';

const kindOf = ({ source, flags }: RegExp): string => verdictOn(source, flags).kind;

describe('a regular expression', () => {
  test.each([
    [/^(?:<\?[^>]*>|\s+)*</, 'nested repetitions'],
    [/^(?:a|a)*$/, 'equal alternatives in a repetition'],
    [/^(?:a|ab|b)*$/, 'alternatives that overlap in a repetition'],
    [/^(?:a?b?)*$/, 'a repeated part that may be empty'],
    [/^(?:\w+\s?)*$/, 'words with an optional separator'],
    [/^(?=(?:a|a)*$)a/, 'a lookahead'],
    [/^(?:a|(?!b)\w)*$/, 'an assertion that excludes too little'],
  ])('The check reports exponential time for %s, because of %s', (expression) => {
    expect(kindOf(expression)).toBe('exponential');
  });

  test.each([
    [/\/+$/, 'a match may begin at each slash of a row'],
    [/<[^>]*>/, 'a match may begin at each of several opening brackets'],
    [/^\s*\w*\s*\w*;/, 'two repetitions can read the same text'],
    [/"hook(?:: [^"]*)?" for ".*"$/s, 'the last quotation mark may be missing'],
    [/a(?:.*b)?/g, 'each match looks at the rest of the text'],
    [/x(?=.*y)/g, 'each match looks at the rest of the text'],
    [/^[ \t]*\[([^\n]*?)\]\r?$/gm, 'a line may also begin after a carriage return'],
    [/[0-9a-f]{400}!/, 'a large number of repetitions counts as unlimited'],
  ])('The check reports polynomial time for %s, because %s', (expression) => {
    expect(kindOf(expression)).toBe('polynomial');
  });

  test.each([
    [/[a-z]+/g, 'it cannot fail after its first character'],
    [/"[^"]*"/g, 'the repetition ends at the next quotation mark'],
    [/\bfoo\w*\(/, 'no word begins inside a word'],
    [/(?<!\w)\w+!/, 'no match begins inside a word'],
    [/^export .*from$/m, 'no line begins inside a line'],
    [/<[^<>]*>/, 'the repetition ends at the next opening bracket'],
    [/^(?:a|b)*$/, 'the alternatives differ'],
    [/^(?:a|(?!a)\w)*$/, 'the assertion tells the alternatives apart'],
    [/^\d{1,3}(?:,\d{3})*$/, 'a separator stands between the repetitions'],
    [/^(["'])(.*)\1$/, 'it refers back to one character'],
    [/^\w{32}$/, 'the number of repetitions is small'],
  ])('The check reports linear time for %s, because %s', (expression) => {
    expect(kindOf(expression)).toBe('linear');
  });

  test.each([[/(ab+)\1/], [/(?<=a.*)b/], [/(?i:a)b/]])(
    'The check reports the time of %s as unknown, because it does not support the syntax',
    (expression) => {
      expect(kindOf(expression)).toBe('unknown');
    },
  );
});
