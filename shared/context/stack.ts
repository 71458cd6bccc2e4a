/** What a stack says beyond the message of its error. */
import { withoutAnsi } from './plain-text.ts';

const FRAME = /^[ \t]{0,32}at\s/;
const FOREIGN = /[\\/]node_modules[\\/]|\bnode:/;
/** How far the name of an error may push its message to the right. */
const NAME_CHARACTERS = 128;
/** Of packages, where a stack has no frame of its own. */
const FOREIGN_FRAMES = 3;

/** Without colours, and without the message where it begins with it, as most do. */
export function stackWithoutMessage(stack: string, message: string): string {
  const plain = withoutAnsi(stack);
  const repeated = withoutAnsi(message).trim();
  const at = repeated === '' ? -1 : plain.slice(0, NAME_CHARACTERS + repeated.length).indexOf(repeated);
  return (at === -1 ? plain : plain.slice(at + repeated.length)).replace(/^[ \t]{0,64}\r?\n/, '').trimEnd();
}

/**
 * The first frames in files of the project rather than of packages or of the runtime, and how many lines are left out.
 * Of a stack that is written in another way: its first lines.
 */
export function ownFrames(stack: string, message: string, most: number): string {
  const lines = stackWithoutMessage(stack, message).split('\n');
  const kept = mostTelling(lines, most);
  const omitted = lines.length - kept.length;
  return [...kept, ...(omitted > 0 ? [`    (${omitted} more lines of the stack)`] : [])].join('\n');
}

function mostTelling(lines: readonly string[], most: number): string[] {
  const frames = lines.filter((line) => FRAME.test(line));
  if (frames.length === 0) return lines.slice(0, most);
  const own = frames.filter((line) => !FOREIGN.test(line));
  return own.length > 0 ? own.slice(0, most) : frames.slice(0, FOREIGN_FRAMES);
}
