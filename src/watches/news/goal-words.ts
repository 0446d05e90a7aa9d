// Messages for news not compared with a goal. The page and the command load only this file of the service.

/** If no model for it is configured. */
export const goalChangesNothing = 'The goal changes nothing: this service has no model that compares news with it.'

/** If some new wishes were not compared: the model failed, or the day's texts were used up. */
export const notComparedWithGoal = (wishes: number): string =>
  `The model did not compare ${wishes === 1 ? 'one of the new wishes' : `${wishes.toLocaleString('en-US')} of the new wishes`} with the goal.`
