/** A store that runs on this machine. */
export interface Engine {
  readonly endpoint: string;
  close(): Promise<void>;
}
