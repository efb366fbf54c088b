class CreateRecommender < ActiveRecord::Migration[6.0]
  def up
    execute File.read(File.join(__dir__, 'make_lists.sql'))
  end

  def down
    execute 'DROP SCHEMA lists CASCADE'
  end
end
