/** Reads the snapshot of the web page at the time of the error, for AI models that cannot follow a link. */

import { maskBeginning } from '#shared/masking/masking.ts';
import type { Services } from '#shared/services.ts';
import type { ContextData } from './context-wire.ts';
import { CONTEXT_LIMITS } from './limits.ts';

/** The masked beginning. `undefined` for contexts of other levels, or if the file is missing or empty. */
export async function readPageState({ artifacts }: Services, context: ContextData): Promise<string | undefined> {
  if (!('errorContext' in context) || !context.errorContext) return undefined;
  const { readBytes, characters } = CONTEXT_LIMITS.pageState;
  const text = await artifacts.textAt(context.errorContext.url, readBytes);
  if (text === undefined || text.trim() === '') return undefined;
  const trimmedText = text.trim();
  const maskedText = maskBeginning(trimmedText, characters);
  if (trimmedText.length <= characters) return maskedText;
  return `${maskedText}\n... at least ${trimmedText.length - maskedText.length} more characters are in the file`;
}
