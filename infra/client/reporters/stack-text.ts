/** Reads the texts that JavaScript engines write for errors. */

const isFrame = (line: string): boolean => line.trimStart().startsWith('at ');

/** The beginning of a stack, before its first frame: the name and the message of the error. */
export function getStackHead(stack: string): string {
  const lines = stack.split('\n');
  const first = lines.findIndex(isFrame);
  return (first < 0 ? lines : lines.slice(0, first)).join('\n');
}

const ERROR = /^(?:Uncaught )?[\w$.]{0,100}(?:Error|Exception)\b/;

export const findErrorLine = (output: string): string | undefined =>
  output.split('\n').find((line) => ERROR.test(line));
