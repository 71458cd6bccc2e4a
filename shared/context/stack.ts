/** Shortens stacks: removes the error message, and keeps the most helpful frames. */
import { removeControlSequences } from '#shared/engine/plain-text.ts';

const FRAME = /^[ \t]{0,32}at\s/;
const PACKAGE_FRAME = /[\\/]node_modules[\\/]|\bnode:/;
/** Maximum length of the error name before the message. */
const NAME_CHARACTERS = 128;
/** Maximum number of stack frames in installed packages or Node.js to show if no frame is in a project file. */
const FOREIGN_FRAMES = 3;

/** Removes colors, and the message if the stack starts with it, as most stacks do. */
export function removeStackMessage(stack: string, message: string): string {
  const plainStack = removeControlSequences(stack);
  const end = findMessageEnd(plainStack, removeControlSequences(message).trim());
  return plainStack
    .slice(end)
    .replace(/^[ \t]{0,64}\r?\n/, '')
    .trimEnd();
}

/** The message begins the stack or follows an error name (`TypeError: `). No other text is on its last line. */
function findMessageEnd(stack: string, message: string): number {
  if (message === '') return 0;
  const [names = ''] = stack.slice(0, NAME_CHARACTERS).split('\n', 1);
  const starts = [0, ...Array.from(names.matchAll(/: /g), ({ index }) => index + 2)];
  const ends = starts.filter((at) => stack.startsWith(message, at)).map((at) => at + message.length);
  return ends.find((end) => /^[ \t]{0,64}(?:\r?\n|$)/.test(stack.slice(end, end + NAME_CHARACTERS))) ?? 0;
}

/**
 * Falls back to the first frames of packages and Node.js if no frame is in a project file, and to the first lines if
 * the format of the stack is unknown. Adds a line with the number of omitted lines.
 */
export function keepProjectFrames(stack: string, message: string, most: number): string {
  const fullStack = removeStackMessage(stack, message);
  const lines = fullStack.split('\n');
  const keptLines = pickHelpfulLines(lines, most);
  const shorter = [...keptLines, `    (${lines.length - keptLines.length} more lines of the stack)`].join('\n');
  // The note about omitted lines can be longer than the lines that it replaces.
  return shorter.length < fullStack.length ? shorter : fullStack;
}

function pickHelpfulLines(lines: readonly string[], most: number): string[] {
  const frames = lines.filter((line) => FRAME.test(line));
  if (frames.length === 0) return lines.slice(0, most);
  const projectFrames = frames.filter((line) => !PACKAGE_FRAME.test(line));
  return projectFrames.length > 0 ? projectFrames.slice(0, most) : frames.slice(0, FOREIGN_FRAMES);
}
