/**
 * Finds tags in the same way as the streaming reporter: the words of a title that begin with `@`. They are kept without
 * the `@`.
 */
import { copyText } from '#shared/engine/own-copy.ts';
import { REPORT_LIMITS } from './limits.ts';

const WORD = /(?<=^|\s)@(\S+)/g;

export const listTitleTags = (title: readonly string[]): string[] =>
  normalizeTags(title.flatMap((part) => [...part.matchAll(WORD)].map(([, tag = '']) => tag)));

export const normalizeTags = (tags: readonly string[]): string[] => [
  ...new Set(
    tags
      .slice(0, REPORT_LIMITS.tagsPerTest)
      .map((tag) => tag.replace(/^@/, '').slice(0, REPORT_LIMITS.tagCharacters).toWellFormed())
      .map(copyText)
      .filter((tag) => tag !== ''),
  ),
];
