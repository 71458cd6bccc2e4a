/** Validates names and labels that people enter: one non-empty line of text. */
import { invalidRequest } from '#shared/engine/errors.ts';
import { NAME, NAME_PROBLEM } from '#shared/model/names.ts';
import { ORGANIZATION_LIMITS } from './limits.ts';

/** Trims. Throws 400 with `subject`, such as `The name of a project`, about the property `member` of the request. */
export function parseName(
  subject: string,
  text: string,
  {
    characters = ORGANIZATION_LIMITS.nameCharacters,
    member = 'name',
  }: { readonly characters?: number; readonly member?: string } = {},
): string {
  const name = text.trim();
  if (name === '' || name.length > characters || !name.isWellFormed() || /[\r\n]/.test(name))
    throw invalidRequest(`${subject} must be one line of 1 to ${characters} characters`, [member]);
  if (!NAME.test(name)) throw invalidRequest(`${subject} ${NAME_PROBLEM}`, [member]);
  return name;
}

/** Trims, and keeps each tag once. Throws 400, also for a comma: people enter tags separated by commas. */
export function parseProjectTags(texts: readonly string[]): string[] {
  const { projectTags: most, projectTagCharacters: characters } = ORGANIZATION_LIMITS;
  const tags = [...new Set(texts.map((text) => parseName('A tag of a project', text, { characters, member: 'tags' })))];
  if (tags.length > most) throw invalidRequest(`A project can have at most ${most} tags`, ['tags']);
  const [badTag] = tags.filter((tag) => tag.includes(','));
  if (badTag === undefined) return tags;
  throw invalidRequest(`The tag "${badTag}" has a comma. Send several tags, or use another character`, ['tags']);
}

export const splitTags = (text: string): string[] => text.split(',').filter((tag) => tag.trim() !== '');
