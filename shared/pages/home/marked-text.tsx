/** A text in which the searched words are marked. */
import type { Child, Html } from '#shared/engine/html/html.ts';
import { parseSearch } from '#shared/results/contains.ts';

interface Props {
  readonly text: string;
  readonly words: string;
}

export function Marked({ text, words }: Props): Html {
  const isMarked = findMarkedCharacters(text, parseSearch(words).included);
  const parts: Child[] = [];
  let from = 0;
  while (from < text.length) {
    let to = from + 1;
    while (to < text.length && isMarked[to] === isMarked[from]) to += 1;
    const part = text.slice(from, to);
    parts.push(isMarked[from] ? <mark>{part}</mark> : part);
    from = to;
  }
  return <>{parts}</>;
}

/** If the conversion to lower case changes the length of a text, its positions do not match, so nothing is marked. */
function findMarkedCharacters(text: string, words: readonly string[]): readonly boolean[] {
  const isMarked = new Array<boolean>(text.length).fill(false);
  const lowerText = text.toLowerCase();
  if (lowerText.length !== text.length) return isMarked;
  for (const word of words) {
    let at = lowerText.indexOf(word);
    while (at !== -1) {
      isMarked.fill(true, at, at + word.length);
      at = lowerText.indexOf(word, at + word.length);
    }
  }
  return isMarked;
}
