import type { ErrorInfo } from './context-wire.ts';

/** Many report files name no column, which is stored as 0. */
export const formatPlace = ({ file, line, column }: NonNullable<ErrorInfo['location']>): string =>
  column > 0 ? `${file}:${line}:${column}` : `${file}:${line}`;
