-- State of the model
SELECT memory, memories, updates, effective_sample_size, prior_sample_size,
       mean_reward, sigma, bytes
FROM   home.models
WHERE  name = 'personal'
