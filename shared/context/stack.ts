/** Shortens stacks: removes the error message, and keeps the most helpful frames. */
import { removeControlSequences } from '#shared/engine/plain-text.ts';

const FRAME = /^[ \t]{0,32}at\s/;
const PACKAGE_FRAME = /[\\/]node_modules[\\/]|\bnode:/;
/** Maximum length of the error name before the message. */
const NAME_CHARACTERS = 128;
/** Maximum number of stack frames in installed packages or Node.js to show if no frame is in a project file. */
const FOREIGN_FRAMES = 3;

/** Removes colors, and the message if the stack starts with it, as most stacks do. */
export function stackWithoutMessage(stack: string, message: string): string {
  const plain = removeControlSequences(stack);
  const end = endOfMessage(plain, removeControlSequences(message).trim());
  return plain
    .slice(end)
    .replace(/^[ \t]{0,64}\r?\n/, '')
    .trimEnd();
}

/**
 * Finds the end of the message in the stack. The message is at the beginning or after an error name (`TypeError: `),
 * and no other text follows on its last line.
 */
function endOfMessage(stack: string, message: string): number {
  if (message === '') return 0;
  const [names = ''] = stack.slice(0, NAME_CHARACTERS).split('\n', 1);
  const starts = [0, ...Array.from(names.matchAll(/: /g), ({ index }) => index + 2)];
  const ends = starts.filter((at) => stack.startsWith(message, at)).map((at) => at + message.length);
  return ends.find((end) => /^[ \t]{0,64}(?:\r?\n|$)/.test(stack.slice(end, end + NAME_CHARACTERS))) ?? 0;
}

/**
 * Returns the first stack frames in project files, at most `most`, and a line with the number of omitted lines. If no
 * frame is in a project file, returns the first frames of packages and Node.js. If the format of the stack is unknown,
 * returns its first lines.
 */
export function ownFrames(stack: string, message: string, most: number): string {
  const whole = stackWithoutMessage(stack, message);
  const lines = whole.split('\n');
  const kept = mostHelpful(lines, most);
  const shorter = [...kept, `    (${lines.length - kept.length} more lines of the stack)`].join('\n');
  // The note about omitted lines can be longer than the lines that it replaces.
  return shorter.length < whole.length ? shorter : whole;
}

function mostHelpful(lines: readonly string[], most: number): string[] {
  const frames = lines.filter((line) => FRAME.test(line));
  if (frames.length === 0) return lines.slice(0, most);
  const own = frames.filter((line) => !PACKAGE_FRAME.test(line));
  return own.length > 0 ? own.slice(0, most) : frames.slice(0, FOREIGN_FRAMES);
}
