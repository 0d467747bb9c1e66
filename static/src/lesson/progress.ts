// What this browser keeps of lessons: in which session each was done, which steps are solved, and what was tried.

import { keep, setting } from "../store/prefs";

// StepProgress is what was done about a step: checks that failed, and hints that were read.
export interface StepProgress {
  done?: boolean;
  tries?: number;
  hints?: number;
}

// Progress is what was done in a lesson, with its steps by number from 1.
export interface Progress {
  session: string;
  at: number;
  steps: Record<number, StepProgress>;
}

const key = (lesson: string): string => `lesson.${lesson}`;

// progressOf reads what was done in a lesson; null for nothing, or nothing that can be read.
export function progressOf(lesson: string): Progress | null {
  try {
    const p = JSON.parse(setting(key(lesson)) ?? "null") as Partial<Progress> | null;
    if (!p || typeof p.session !== "string" || typeof p.steps !== "object" || p.steps === null) return null;
    return { session: p.session, at: Number(p.at) || 1, steps: p.steps };
  } catch {
    return null;
  }
}

export function keepProgress(lesson: string, p: Progress): void {
  keep(key(lesson), JSON.stringify(p));
}

// solved counts the steps that are done.
export function solved(p: Progress): number {
  return Object.values(p.steps).filter((s) => s.done).length;
}
